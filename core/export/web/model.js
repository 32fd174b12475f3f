'use strict';
// The graph as data: its columns, and what is open of it. A level is what one open box shows; the places within it were
// computed beforehand. Where boxes of a level are open, the level is stretched: both axes are mapped by a growing,
// piecewise linear function, so that boxes keep their order and wires stay between them.
const HEADER = 28, PADDING = 20, DEEPEST = 1000;
const INSTRUCTION = 0, ATTACHED = 1, GROUP = 2;

async function inflate(base64) {
  const bytes = Uint8Array.from(atob(base64), c => c.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate'));
  return JSON.parse(await new Response(stream).text());
}

// Columns of the file with what follows from them.
class Graph {
  constructor(data) {
    Object.assign(this, data);
    this.firstBox = [0];
    for (const count of this.levels.boxes) this.firstBox.push(this.firstBox.at(-1) + count);
    const boxes = this.firstBox.at(-1);
    this.levelOfBox = new Int32Array(boxes);
    this.boxOf = new Int32Array(this.instructions.name.length).fill(-1);
    this.openedBy = new Int32Array(this.levels.boxes.length).fill(-1);
    for (let level = 0; level < this.levels.boxes.length; ++level)
      for (let b = this.firstBox[level]; b < this.firstBox[level + 1]; ++b) this.note(level, b);
    this.users = null;
    this.texts = null;
    this.levelTimes = new Map();
  }
  note(level, b) {
    this.levelOfBox[b] = level;
    const instruction = this.boxes.instruction[b];
    const own = this.boxes.kind[b] === INSTRUCTION || (this.boxes.kind[b] === GROUP && this.isCaller(b));
    if (instruction >= 0 && own) this.boxOf[instruction] = b;
    for (const inner of this.opens(b)) if (this.openedBy[inner] < 0) this.openedBy[inner] = b;
  }
  opens(b) {
    const opens = this.boxes.opens[b];
    return Array.isArray(opens) ? opens : opens < 0 ? [] : [opens];
  }
  isCaller(b) { return this.boxes.caller[b] === 1; }
  text(index) { return this.strings[index]; }
  pathOf(b) { return this.text(this.boxes.path[b]); }
  roleOf(b, place) {
    if (this.text(this.instructions.opcode[this.boxes.instruction[b]]) !== 'while') return 'branch ' + place;
    return place === 0 ? 'condition' : 'body';
  }
  usersOf(instruction) {
    if (!this.users) {
      this.users = this.instructions.name.map(() => []);
      this.instructions.operands.forEach((operands, i) => operands.forEach(o => {
        if (this.users[i - o].at(-1) !== i) this.users[i - o].push(i);
      }));
    }
    return this.users[instruction];
  }
  operandsOf(instruction) { return this.instructions.operands[instruction].map(distance => instruction - distance); }

  // Time of a run, in ns: a box with all it holds. A computation that several call counts at the first.
  timeOfLevel(level) {
    if (!this.levelTimes.has(level)) {
      let sum = 0, measured = true;
      this.levelTimes.set(level, {ns: 0, measured});  // a file may be wrong and call in a circle
      for (let b = this.firstBox[level]; b < this.firstBox[level + 1]; ++b) {
        const time = this.timeOfBox(b);
        sum += time.ns;
        measured = measured && (time.measured || time.ns === 0);
      }
      this.levelTimes.set(level, {ns: sum, measured});
    }
    return this.levelTimes.get(level);
  }
  timeOfBox(b) {
    const times = this.instructions.time;
    const out = {ns: 0, measured: true};
    if (!times || this.boxes.kind[b] === ATTACHED) return out;
    if (this.boxes.kind[b] === INSTRUCTION || this.isCaller(b)) {
      const i = this.boxes.instruction[b];
      out.ns = i < 0 ? 0 : times[i];
      out.measured = !(out.ns > 0) || this.instructions.measured[i] === 1;
    }
    for (const inner of this.opens(b)) {
      if (this.openedBy[inner] !== b) continue;
      const time = this.timeOfLevel(inner);
      out.ns += time.ns;
      out.measured = out.measured && time.measured;
    }
    return out;
  }

  // All words must stand in what is known of an instruction.
  find(query) {
    const words = query.toLowerCase().split(/\s+/).filter(Boolean);
    if (!this.texts)
      this.texts = this.instructions.name.map((name, i) => [
        name, this.text(this.instructions.opcode[i]), this.text(this.instructions.shape[i]),
        this.text(this.instructions.opName[i]), this.text(this.instructions.source[i])].join('\n').toLowerCase());
    const hits = [];
    if (words.length)
      this.texts.forEach((text, i) => { if (this.boxOf[i] >= 0 && words.every(word => text.includes(word))) hits.push(i); });
    return hits;
  }
  // The boxes to open, outermost first, to see a box on the page of `root`; null: it is not below it.
  wayTo(b, root) {
    const way = [b];
    for (let level = this.levelOfBox[b]; level !== root; level = this.levelOfBox[way[0]]) {
      if (this.openedBy[level] < 0 || way.length > DEEPEST) return null;
      way.unshift(this.openedBy[level]);
    }
    return way;
  }
  pageOf(b) {
    let level = this.levelOfBox[b];
    for (let depth = 0; this.openedBy[level] >= 0 && depth < DEEPEST; ++depth)
      level = this.levelOfBox[this.openedBy[level]];
    return level;
  }
}

// Maps an axis so that each interval [begin, end] becomes at least `need` long, and no distance shrinks.
class Stretch {
  constructor(intervals) {
    this.at = [...new Set(intervals.flatMap(i => [i.begin, i.end]))].sort((a, b) => a - b);
    const place = new Map(this.at.map((p, i) => [p, i]));
    this.to = [];
    this.at.forEach((p, i) => {
      let best = i ? this.to[i - 1] + p - this.at[i - 1] : p;
      for (const one of intervals)
        if (one.end === p && one.end > one.begin) best = Math.max(best, this.to[place.get(one.begin)] + one.need);
      this.to.push(best);
    });
  }
  map(x) {
    const {at, to} = this;
    if (!at.length || x <= at[0]) return x;
    let low = 0, high = at.length - 1;
    if (x >= at[high]) return to[high] + x - at[high];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (at[middle] <= x) low = middle; else high = middle;
    }
    return to[low] + (x - at[low]) * (to[high] - to[low]) / (at[high] - at[low]);
  }
}

// One box where it is shown; `view` is what it shows when it is open.
class Item {
  constructor(graph, parent, box, key, place) {
    Object.assign(this, {parent, box, key, x: place.x, y: place.y, w: place.w, h: place.h, closed: place, view: null});
    this.kind = box < 0 ? GROUP : graph.boxes.kind[box];
    this.opens = box < 0 ? [] : graph.opens(box);
    this.title = box < 0 ? '' : graph.text(graph.boxes.title[box]);
    this.subtitle = box < 0 ? '' : graph.text(graph.boxes.subtitle[box]);
    this.repeats = box < 0 ? 0 : graph.boxes.repeats[box];
    this.readsOutside = this.kind === INSTRUCTION && graph.operandsOf(graph.boxes.instruction[box]).some(
      o => graph.boxOf[o] >= 0 && graph.levelOfBox[graph.boxOf[o]] !== graph.levelOfBox[box]);
  }
  get canOpen() { return this.opens.length > 0; }
}

function boundsOf(points) {
  const out = {left: Infinity, right: -Infinity, top: Infinity, bottom: -Infinity};
  for (const {x, y} of points) {
    out.left = Math.min(out.left, x);
    out.right = Math.max(out.right, x);
    out.top = Math.min(out.top, y);
    out.bottom = Math.max(out.bottom, y);
  }
  return out;
}

// What an open box shows: the boxes of a level, or one for each computation that it calls.
class View {
  constructor(graph, owner, prefix) { Object.assign(this, {graph, owner, prefix, items: [], wires: [], w: 0, h: 0}); }

  static ofLevel(graph, owner, level, prefix) {
    const view = new View(graph, owner, prefix), layout = graph.layouts[graph.levels.layout[level]];
    view.level = level;
    for (let b = graph.firstBox[level], i = 0; b < graph.firstBox[level + 1]; ++b, i += 4) {
      const [x, y, w, h] = layout.places.slice(i, i + 4);
      view.items.push(new Item(graph, view, b, prefix + graph.pathOf(b), {x, y, w, h}));
    }
    for (let i = 0; i < layout.wires.length;) {
      const [from, to, count] = layout.wires.slice(i, i + 3), points = [];
      i += 3;
      for (let p = 0, x = 0, y = 0; p < count; ++p, i += 2)
        points.push({x: x += layout.wires[i], y: y += layout.wires[i + 1]});
      view.wires.push({from: view.items[from], to: view.items[to], closed: points, points});
    }
    [view.closedWidth, view.closedHeight] = layout.size;
    return view;
  }
  static ofCalls(graph, owner, box) {
    const view = new View(graph, owner, owner.key + '/');
    graph.opens(box).forEach((level, place) => {
      const role = graph.roleOf(box, place);
      const item = new Item(graph, view, -1, owner.key + '/' + role, {x: 0, y: place * 66, w: 260, h: 46});
      item.opens = [level];
      item.title = role + ' ' + graph.text(graph.levels.title[level]);
      item.subtitle = graph.levels.boxes[level] + ' boxes';
      view.items.push(item);
    });
    [view.closedWidth, view.closedHeight] = [260, view.items.length * 66 - 20];
    return view;
  }

  arrange() {
    const open = this.items.filter(item => item.view);
    for (const item of open) item.view.arrange();
    const across = new Stretch(open.map(i => ({begin: i.closed.x, end: i.closed.x + i.closed.w, need: i.view.w + 2 * PADDING})));
    const down = new Stretch(open.map(i => ({begin: i.closed.y, end: i.closed.y + i.closed.h, need: i.view.h + HEADER + PADDING})));
    for (const item of this.items) {
      const c = item.closed;
      item.w = item.view ? Math.max(item.view.w + 2 * PADDING, c.w) : c.w;
      item.h = item.view ? Math.max(item.view.h + HEADER + PADDING, c.h) : c.h;
      item.x = (across.map(c.x) + across.map(c.x + c.w) - item.w) / 2;
      item.y = down.map(c.y);
    }
    this.w = across.map(this.closedWidth);
    this.h = down.map(this.closedHeight);
    for (const wire of this.wires) {
      wire.points = open.length ? this.routed(wire, across, down) : wire.closed;
      wire.bounds = boundsOf(wire.points);
    }
  }
  routed(wire, across, down) {
    const points = wire.closed.map(p => ({x: across.map(p.x), y: down.map(p.y)}));
    const end = (item, p, y) => ({x: item.x + (p.x - item.closed.x) / item.closed.w * item.w, y});
    if (points.length > 1) {
      const first = wire.closed[0], last = wire.closed.at(-1);
      const leavesBelow = first.y > wire.from.closed.y + wire.from.closed.h / 2;
      const entersAbove = last.y < wire.to.closed.y + wire.to.closed.h / 2;
      points[0] = end(wire.from, first, leavesBelow ? wire.from.y + wire.from.h : wire.from.y);
      points[points.length - 1] = end(wire.to, last, entersAbove ? wire.to.y : wire.to.y + wire.to.h);
    }
    return points;
  }
}

// A page: a root level and all that is open below it.
class Page {
  constructor(graph, level) {
    this.graph = graph;
    this.root = View.ofLevel(graph, null, level, '');
    this.root.arrange();
  }
  open(item) {
    if (item.view || !item.canOpen) return;
    const inner = item.box >= 0 && !this.graph.isCaller(item.box) ? item.parent.prefix : item.key + '/';
    item.view = item.opens.length > 1 ? View.ofCalls(this.graph, item, item.box)
                                      : View.ofLevel(this.graph, item, item.opens[0], inner);
  }
  toggle(item) {
    if (item.view) item.view = null; else this.open(item);
    this.root.arrange();
  }
  // Opens every box whose key is listed, outermost first.
  openKeys(keys) {
    const walk = view => {
      for (const item of view.items)
        if (item.canOpen && keys.has(item.key)) {
          this.open(item);
          walk(item.view);
        }
    };
    walk(this.root);
    this.root.arrange();
  }
  closeAll() {
    for (const item of this.root.items) item.view = null;
    this.root.arrange();
  }
  // The box of an instruction, with what holds it opened; null: it is on another page.
  reveal(instruction) {
    const way = this.graph.wayTo(this.graph.boxOf[instruction], this.root.level);
    if (!way) return null;
    let view = this.root, found = null;
    for (const box of way) {
      found = view.items.find(item => item.box === box);
      if (!found) {  // one of several computations that the box before calls
        const level = this.graph.levelOfBox[box];
        const role = view.items.find(item => item.box < 0 && item.opens[0] === level);
        this.open(role);
        found = role.view.items.find(item => item.box === box);
      }
      if (box === way.at(-1)) break;
      this.open(found);
      view = found.view;
    }
    this.root.arrange();
    return found;
  }
  // Where an item stands on the page.
  placeOf(item) {
    let x = item.x, y = item.y;
    for (let owner = item.parent.owner; owner; owner = owner.parent.owner) {
      x += owner.x + PADDING;
      y += owner.y + HEADER;
    }
    return {x, y, w: item.w, h: item.h};
  }
  itemAt(x, y) {
    let view = this.root, hit = null;
    for (;;) {
      const inside = view.items.findLast(i => x >= i.x && x < i.x + i.w && y >= i.y && y < i.y + i.h);
      if (!inside) return hit;
      hit = inside;
      if (!inside.view) return hit;
      x -= inside.x + PADDING;
      y -= inside.y + HEADER;
      view = inside.view;
    }
  }
}

if (typeof module !== 'undefined') module.exports = {Graph, Page, Stretch, View, HEADER, PADDING, INSTRUCTION, ATTACHED, GROUP};
