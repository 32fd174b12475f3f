'use strict';
// Paints a page: boxes, wires, groups within groups, with the levels of detail of the studio's canvas.
const ARROW_ZOOM = 0.3, READABLE_ZOOM = 0.6, BODY_ZOOM = 0.12, WIRE_ZOOM = 0.04;
const SMALL_BOX = 3, FAINT_LINE = 0.05;  // pixels below which a box is its colour alone, and a line is left out
const OVERHANG = 32;                     // units that bends and badges reach beyond their ends
const FAR_SIZES = [11.5, 10.5, 9.5, 9], FAR_LINE = 1.2, FAR_MARGIN = 3;  // pixels, of the size, pixels
const GROUP_TITLE = 13, LEAST_GROUP = {w: 90, h: 40};                    // of an open group with a title; pixels
const FONT = '"DejaVu Sans", Verdana, sans-serif';

// A number of an overlay in words.
function measureText(value, unit) {
  if (unit === 'ns') return durationText(value);
  if (unit === 'count') return '× ' + value;
  let step = 0;
  for (; value >= 999.5 && step < 5; ++step) value /= 1000;
  return value.toFixed(step === 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2) + ' ' + ['', 'K', 'M', 'G', 'T', 'P'][step] + unit;
}
function durationText(ns) {
  if (ns < 999.5) return ns.toFixed(0) + ' ns';
  for (const [scale, unit] of [[1e3, 'µs'], [1e6, 'ms'], [1e9, 's']]) {
    const value = ns / scale;
    if (value >= 999.5 && scale < 1e9) continue;
    return value.toFixed(value < 9.995 ? 2 : value < 99.95 ? 1 : 0) + ' ' + unit;
  }
}

// What a title that does not fit gives way to: it without details, then the last steps of a path ("h 3" of "p['h'][3]"),
// then the number that tells it from its neighbours.
function shorterForms(title, times) {
  const brief = title.split(/: | · /)[0], steps = [...brief.matchAll(/\[([^\]]*)\]/g)].map(([, step]) => step.replace(/^'|'$/g, ''));
  const ends = brief.endsWith(']') ? steps.map((_, k) => steps.slice(k).join(' ')) : [];
  return [title, brief, ...ends, ...(brief.match(/(?<= )\d+$/) || [])].map(form => form + times);
}

class Painter {
  constructor(canvas, graph) {
    Object.assign(this, {canvas, graph, pen: canvas.getContext('2d'), zoom: 1, left: 0, top: 0, theme: 'light'});
    this.widths = new Map();
    this.selected = null;
    this.stale = true;        // more has changed than which part is seen
    this.hits = null;         // by instruction, while something is searched for
    this.hitsInLevel = new Map();
  }
  color(role) { return this.graph.palette[this.theme][role]; }
  setHits(list) {
    this.hitsInLevel.clear();
    this.hits = list && new Uint8Array(this.graph.instructions.name.length);
    if (list) for (const i of list) this.hits[i] = 1;
  }
  hitsIn(item) {
    const {graph} = this;
    const own = item.box >= 0 && item.kind !== ATTACHED && (item.kind === INSTRUCTION || graph.isCaller(item.box))
      ? this.hits[graph.boxes.instruction[item.box]] || 0 : 0;
    return item.opens.reduce((sum, level) => sum + this.hitsBelow(level), own);
  }
  hitsBelow(level) {
    const {graph} = this;
    if (!this.hitsInLevel.has(level)) {
      let sum = 0;
      this.hitsInLevel.set(level, 0);
      for (let b = graph.firstBox[level]; b < graph.firstBox[level + 1]; ++b) {
        const kind = graph.boxes.kind[b], i = graph.boxes.instruction[b];
        if (i >= 0 && (kind === INSTRUCTION || (kind === GROUP && graph.isCaller(b)))) sum += this.hits[i];
        for (const inner of graph.opens(b)) sum += this.hitsBelow(inner);
      }
      this.hitsInLevel.set(level, sum);
    }
    return this.hitsInLevel.get(level);
  }

  // --- time
  timeOf(item) {
    if (!this.graph.instructions.time) return 0;
    if (item.box >= 0) return this.graph.timeOfBox(item.box).ns;
    return item.opens.reduce((sum, level) => sum + this.graph.timeOfLevel(level).ns, 0);
  }
  measureHeat(page) {
    this.hot = 0;
    const walk = view => {
      for (const item of view.items) {
        item.ns = this.timeOf(item);
        if (item.view) walk(item.view); else this.hot = Math.max(this.hot, item.ns);
      }
    };
    if (this.graph.instructions.time) walk(page.root);
    this.cold = Math.max(this.hot / 1e4, 1e-3);
  }
  heatRole(ns) {
    const heat = ns <= this.cold ? 0 : ns >= this.hot ? 1 : Math.log(ns / this.cold) / Math.log(this.hot / this.cold);
    return 'heat' + Math.min(9, Math.floor(heat * 10));
  }

  // --- text
  width(text, size, bold) {
    const key = (bold ? 'b' : 'r') + text;
    let width = this.widths.get(key);
    if (width === undefined) {
      this.pen.font = (bold ? 'bold ' : '') + '100px ' + FONT;
      this.widths.set(key, width = this.pen.measureText(text).width / 100);
    }
    return width * size;
  }
  elided(text, size, room, bold) {
    if (this.width(text, size, bold) <= room) return text;
    let low = 0, high = text.length;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.width(text.slice(0, middle) + '…', size, bold) <= room) low = middle; else high = middle - 1;
    }
    return low ? text.slice(0, low) + '…' : '';
  }
  // Greedily, between words, else within names at their joints.
  broken(text, size, room) {
    const lines = [];
    for (const part of text.split(/(?<=[ _/.,:-])/)) {
      const longer = lines.length ? lines.at(-1) + part : part;
      if (lines.length && this.width(longer.trimEnd(), size, true) <= room) lines[lines.length - 1] = longer; else lines.push(part);
    }
    return lines.map(line => line.trimEnd());
  }
  // A title as large as can be read from afar and fits into a box, else the first shorter form that does, else as much
  // as fits; none where no letters do. times: " ×96", which is never cut.
  farLines(title, times, w, h) {
    const room = w - 2 * FAR_MARGIN / this.zoom, smallest = FAR_SIZES.at(-1) / this.zoom;
    if (room < 2 * smallest || h < smallest) return {size: smallest, lines: []};
    const most = size => Math.min(3, Math.max(1, Math.floor(h / (FAR_LINE * size))));
    for (const text of shorterForms(title, times))
      for (const pixels of FAR_SIZES) {
        const size = pixels / this.zoom, lines = this.broken(text, size, room);
        if (lines.length <= most(size) && lines.every(line => this.width(line, size, true) <= room)) return {size, lines};
      }
    const lines = this.broken(title, smallest, room), last = most(smallest) - 1;
    const end = this.elided(lines.slice(last).join(' '), smallest, room - this.width(times, smallest, true), true) + times;
    const cut = [...lines.slice(0, last).map(line => this.elided(line, smallest, room, true)), end.trim()];
    return {size: smallest, lines: cut.filter(line => line)};
  }
  write(text, x, y, size, role, bold) {
    this.pen.font = (bold ? 'bold ' : '') + size + 'px ' + FONT;
    this.pen.fillStyle = this.color(role);
    this.pen.fillText(text, x, y + 0.8 * size);
  }

  // --- the page
  paint(page) {
    const {pen, canvas, zoom} = this, ratio = window.devicePixelRatio || 1;
    const width = Math.round(canvas.clientWidth * ratio), height = Math.round(canvas.clientHeight * ratio);
    const frame = {page, zoom, ratio, width, height, x: Math.round(this.left * zoom * ratio), y: Math.round(this.top * zoom * ratio)};
    const last = this.stale ? null : this.last;
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, {width, height});
    this.last = frame;
    this.stale = false;
    if (!last || ['page', 'zoom', 'ratio', 'width', 'height'].some(key => last[key] !== frame[key]))
      return this.paintPart(frame, 0, 0, width, height);
    const dx = last.x - frame.x, dy = last.y - frame.y, aboveHeight = Math.max(height - Math.abs(dy), 0);
    if (!dx && !dy) return;
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.drawImage(canvas, dx, dy);
    this.paintPart(frame, 0, dy > 0 ? 0 : aboveHeight, width, height - aboveHeight);
    const besideWidth = Math.min(Math.abs(dx), width);
    this.paintPart(frame, dx > 0 ? 0 : width - besideWidth, Math.max(dy, 0), besideWidth, aboveHeight);
  }
  // A rectangle of the canvas, in device pixels.
  paintPart({page, zoom, ratio, x, y}, left, top, width, height) {
    if (width <= 0 || height <= 0) return;
    const {pen} = this, scale = zoom * ratio, reach = OVERHANG + 4 / zoom;
    pen.save();
    pen.setTransform(1, 0, 0, 1, 0, 0);
    pen.beginPath();
    pen.rect(left, top, width, height);
    pen.clip();
    pen.fillStyle = this.color('background');
    pen.fillRect(left, top, width, height);
    pen.setTransform(scale, 0, 0, scale, -x, -y);
    this.paintView(page.root, {x: (left + x) / scale - reach, y: (top + y) / scale - reach,
                               w: width / scale + 2 * reach, h: height / scale + 2 * reach}, 0);
    if (this.selected) this.paintSelection(page);
    pen.restore();
  }
  // plate: the title of a group around it, which covers titles below.
  paintView(view, seen, depth, plate = null) {
    const {pen} = this;
    const isSeen = b => b.x < seen.x + seen.w && b.x + b.w > seen.x && b.y < seen.y + seen.h && b.y + b.h > seen.y;
    for (const item of view.items) if (this.isOpen(item) && isSeen(item)) this.paintFrame(item, depth);
    if (this.zoom >= WIRE_ZOOM) this.paintWires(view, seen);
    for (const item of view.items) {
      if (!isSeen(item)) continue;
      const open = this.isOpen(item), dimmed = this.hits && !open && !this.hitsIn(item);
      if (dimmed) pen.globalAlpha = 0.3;
      if (!open) this.paintBox(item);
      if (item.readsOutside && this.zoom >= ARROW_ZOOM) this.paintStub(item);
      if (dimmed) pen.globalAlpha = 1;
      if (!open) continue;
      const dx = item.x + PADDING, dy = item.y + HEADER;
      pen.save();
      pen.translate(dx, dy);
      const isCovered = plate && item.x < plate.x + plate.w && item.y < plate.y + plate.h;
      const own = isCovered ? null : this.groupPlate(item), top = own || plate;
      this.paintView(item.view, {x: seen.x - dx, y: seen.y - dy, w: seen.w, h: seen.h}, depth + 1,
                     top && {...top, x: top.x - dx, y: top.y - dy});
      pen.restore();
      if (own) this.paintGroupTitle(item, own, depth);
    }
  }
  paintFrame(item, depth) {
    this.outline(item.x, item.y, item.w, item.h, 8);
    this.fill(depth % 2 ? 'background' : 'groupFill', 'groupBorder', 1.2);
  }
  // Neither outline nor inside can be made out, and nothing in it is looked for.
  isSmall({w, h}) { return !this.hits && Math.max(w, h) * this.zoom < SMALL_BOX; }
  isOpen(item) { return item.view && !this.isSmall(item); }
  outline(x, y, w, h, radius) {
    const {pen} = this;
    pen.beginPath();
    if (this.zoom < BODY_ZOOM) pen.rect(x, y, w, h); else pen.roundRect(x, y, w, h, Math.min(radius, w / 2, h / 2));
  }
  fill(role, border, width) {
    const {pen} = this;
    pen.fillStyle = this.color(role);
    pen.fill();
    if (!border || width * this.zoom < FAINT_LINE) return;
    pen.strokeStyle = this.color(border);
    pen.lineWidth = width;
    pen.stroke();
  }
  // Where the title of an open group stands, and its words; null: the group is too small.
  groupPlate({x, y, w, h, title, ns}) {
    if (w * this.zoom < LEAST_GROUP.w || h * this.zoom < LEAST_GROUP.h) return null;
    const scale = Math.max(1, FAR_SIZES[0] / GROUP_TITLE / this.zoom), size = GROUP_TITLE * scale;
    const time = ns > 0 ? measureText(ns, this.graph.overlayUnit) : '';
    const room = w - 20 * scale - (time ? this.width(time, 10.5 * scale) + 10 * scale : 0);
    const words = this.elided('▾ ' + title, size, room, true);
    return {x: x + 4, y: y + 4, w: this.width(words, size, true) + 14 * scale, h: 22 * scale, words, time, scale};
  }
  paintGroupTitle(item, {x, y, w, h, words, time, scale}, depth) {
    this.outline(x, y, w, h, 4);
    this.fill(depth % 2 ? 'background' : 'groupFill');
    this.write(words, x + 6 * scale, y + 3 * scale, GROUP_TITLE * scale, 'groupText', true);
    const right = item.x + item.w - 10 * scale;
    if (time) this.write(time, right - this.width(time, 10.5 * scale), y + 5 * scale, 10.5 * scale, 'groupText');
  }
  paintWires(view, seen) {
    const {pen} = this;
    pen.strokeStyle = pen.fillStyle = this.color('wire');
    pen.lineWidth = 1.1;
    pen.beginPath();
    for (const wire of view.wires)
      if (this.isWireSeen(wire, seen)) this.trace(wire.points, wire.from.kind === ATTACHED);
    pen.stroke();
    if (this.zoom < ARROW_ZOOM) return;
    pen.beginPath();
    for (const wire of view.wires)
      if (wire.from.kind !== ATTACHED && this.isWireSeen(wire, seen)) this.traceArrow(wire.points.at(-1), wire.points.at(-2));
    pen.fill();
  }
  isWireSeen({from, points, bounds}, seen) {
    return points.length > 1 && (from.kind !== ATTACHED || this.zoom >= READABLE_ZOOM) && bounds.left < seen.x + seen.w &&
      bounds.right >= seen.x && bounds.top < seen.y + seen.h && bounds.bottom >= seen.y;
  }
  trace(points, straight) {
    const {pen} = this;
    pen.moveTo(points[0].x, points[0].y);
    for (let i = 1; i < points.length; ++i) {
      const a = points[i - 1], b = points[i];
      if (straight || a.x === b.x) {
        pen.lineTo(b.x, b.y);
        continue;
      }
      const bend = b.y > a.y ? (b.y - a.y) / 2 : Math.min(30, Math.abs(b.x - a.x) / 2);
      pen.bezierCurveTo(a.x, a.y + bend, b.x, b.y - bend, b.x, b.y);
    }
  }
  traceArrow(tip, from) {
    const {pen} = this, up = tip.y < from.y && tip.x === from.x ? -1 : 1;
    pen.moveTo(tip.x, tip.y);
    pen.lineTo(tip.x - 3, tip.y - 7 * up);
    pen.lineTo(tip.x + 3, tip.y - 7 * up);
  }
  // Something that comes into the group from outside.
  paintStub({x, y, w}) {
    const {pen} = this, middle = x + Math.min(w / 2, 16);
    pen.strokeStyle = pen.fillStyle = this.color('wire');
    pen.lineWidth = 1.1;
    pen.beginPath();
    pen.moveTo(middle, y - 14);
    pen.lineTo(middle, y);
    pen.stroke();
    pen.beginPath();
    this.traceArrow({x: middle, y}, {x: middle, y: y - 14});
    pen.fill();
  }
  paintBox(item) {
    const {pen, graph} = this, {x, y, w, h} = item, hot = item.ns > 0;
    const closedGroup = item.kind === GROUP, role = closedGroup ? 'groupFill' : graph.roles[graph.boxes.role[item.box]];
    const color = hot ? this.heatRole(item.ns) : role;
    if (this.isSmall(item)) {
      pen.fillStyle = this.color(color);
      return pen.fillRect(x, y, w, h);
    }
    if (item.kind === ATTACHED) return this.paintAttached(item);
    if (closedGroup && this.zoom >= BODY_ZOOM)
      for (let back = item.repeats > 0 ? 9 : 3; back > 0; back -= 3) {
        this.outline(x + back, y + back, w, h, 6);
        this.fill('groupFill', 'groupBorder', 1);
      }
    this.outline(x, y, w, h, closedGroup ? 6 : 5);
    this.fill(color, closedGroup ? 'groupBorder' : 'nodeBorder', closedGroup ? 1.4 : 1);
    if (hot && item.box >= 0 && !graph.timeOfBox(item.box).measured && this.zoom >= BODY_ZOOM) this.hatch(item);
    if (!closedGroup && !hot && this.zoom >= READABLE_ZOOM) {
      this.outline(x + 1, y + 22, w - 2, h - 23, 4);
      this.fill('nodeFill');
    }
    if (this.hits && this.hitsIn(item)) this.ring(item, 2 / Math.min(1, this.zoom));
    if (this.zoom < READABLE_ZOOM) return this.paintFarTitle(item, hot);
    this.paintWords(item, hot);
    if (hot) this.badge(item, measureText(item.ns, graph.overlayUnit));
  }
  paintWords(item, hot) {
    const {x, y, w} = item, times = item.repeats > 0 ? ' ×' + item.repeats : '';
    if (item.shown === undefined) {
      const found = item.kind === GROUP ? '▸ ' : '';
      item.shown = this.elided(found + item.title, 12, w - 20 - this.width(times, 12, true), true) + times;
      item.shownBelow = this.elided(item.subtitle, 10.5, w - 20);
    }
    this.write(item.shown, x + 10, y + 5, 12, hot ? 'nodeText' : item.kind === GROUP ? 'groupText' : 'nodeText', true);
    this.write(item.shownBelow, x + 10, y + 25, 10.5, hot ? 'nodeText' : 'nodeSubtext');
  }
  // What it says depends on the zoom alone: kept for the next frame.
  paintFarTitle(item, hot) {
    const {x, y, w, h} = item;
    if (item.far?.zoom !== this.zoom) {
      const times = item.repeats > 0 ? ' ×' + item.repeats : '';
      item.far = {zoom: this.zoom, ...this.farLines(item.title, times, w, h)};
    }
    const {size, lines} = item.far;
    lines.forEach((line, k) => this.write(line, x + (w - this.width(line, size, true)) / 2,
                                          y + h / 2 + (k - lines.length / 2) * FAR_LINE * size + 0.1 * size, size,
                                          item.kind === GROUP && !hot ? 'groupText' : 'nodeText', true));
  }
  paintAttached(item) {
    const {x, y, w, h} = item;
    this.outline(x, y, w, h, h / 2);
    this.fill(this.graph.roles[this.graph.boxes.role[item.box]], 'nodeBorder', 0.8);
    if (this.zoom < READABLE_ZOOM) return;
    const text = this.elided(item.title, 10, w - 12);
    this.write(text, x + (w - this.width(text, 10)) / 2, y + 4, 10, 'nodeText');
  }
  hatch({x, y, w, h}) {
    const {pen} = this;
    pen.save();
    pen.clip();
    pen.beginPath();
    for (let at = x; at < x + w + h; at += 6) {
      pen.moveTo(at, y);
      pen.lineTo(at - h, y + h);
    }
    pen.globalAlpha *= 0.5;
    pen.strokeStyle = this.color('hatch');
    pen.lineWidth = 0.8;
    pen.stroke();
    pen.restore();
  }
  badge({x, y, w, h}, text) {
    const width = this.width(text, 9.5) + 8;
    this.outline(x + w - width, y + h - 1, width, 13, 3);
    this.fill('nodeFill', 'nodeBorder', 0.6);
    this.write(text, x + w - width + 4, y + h, 9.5, 'nodeText');
  }
  ring({x, y, w, h}, width) {
    const {pen} = this;
    this.outline(x - 2, y - 2, w + 4, h + 4, 7);
    pen.strokeStyle = this.color('selection');
    pen.lineWidth = width;
    pen.stroke();
  }

  // The selected box, and a line to each visible end of what it reads and of what reads it, whatever holds that.
  paintSelection(page) {
    const {pen, graph, selected} = this, place = page.placeOf(selected);
    this.ring(place, 2.5 / Math.min(1, this.zoom));
    const instruction = selected.box >= 0 && selected.kind === INSTRUCTION ? graph.boxes.instruction[selected.box] : -1;
    if (instruction < 0) return;
    pen.lineWidth = 2 / Math.min(1, this.zoom);
    const line = (from, to) => {
      const a = {x: from.x + from.w / 2, y: from.y + from.h}, b = {x: to.x + to.w / 2, y: to.y};
      pen.beginPath();
      this.trace([a, b], false);
      pen.stroke();
    };
    for (const operand of graph.operandsOf(instruction)) this.lineTo(page, operand, other => line(other, place), selected);
    for (const user of graph.usersOf(instruction)) this.lineTo(page, user, other => line(place, other), selected);
  }
  lineTo(page, instruction, draw, selected) {
    const seen = visibleItemOf(page, instruction);
    if (seen && seen !== selected) draw(page.placeOf(seen));
  }
}

// The innermost box that shows an instruction now: its own, or the closed group that hides it.
function visibleItemOf(page, instruction) {
  const {graph} = page, box = graph.boxOf[instruction];
  const way = box < 0 ? null : graph.wayTo(box, page.root.level);
  if (!way) return null;
  let view = page.root, item = null;
  for (const step of way) {
    let next = view.items.find(one => one.box === step);
    if (!next) {
      const role = view.items.find(one => one.box < 0 && one.opens[0] === graph.levelOfBox[step]);
      if (!role || !role.view) return role || item;
      next = role.view.items.find(one => one.box === step);
    }
    item = next;
    if (!item || !item.view) return item;
    view = item.view;
  }
  return item;
}
if (typeof module !== 'undefined') module.exports = {Painter, shorterForms};
