'use strict';
// What a person does: moving, opening, searching, looking at one instruction.
class App {
  constructor(graph) {
    this.graph = graph;
    this.canvas = document.getElementById('canvas');
    this.painter = new Painter(this.canvas, graph);
    this.hits = [];
    this.hit = -1;
    const dark = matchMedia('(prefers-color-scheme: dark)');
    this.setTheme(graph.theme !== 'reader' ? graph.theme : dark.matches ? 'dark' : 'light');
    if (graph.theme === 'reader') dark.onchange = () => this.setTheme(dark.matches ? 'dark' : 'light');
    document.getElementById('module').textContent = document.getElementById('module').title = graph.module;
    this.fillPages();
    this.show(graph.page, new Set(graph.open));
    if (this.painter.zoom < READABLE_ZOOM / 2) this.show(graph.page, new Set());  // open groups are to be read
    this.listen();
    this.followLink();
  }
  element(id) { return document.getElementById(id); }
  repaint() {
    this.painter.stale = true;
    this.repaintMoved();
  }
  // Nothing has changed but which part is seen, and how large.
  repaintMoved() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => {
      this.waiting = false;
      this.painter.paint(this.page);
    });
  }
  setTheme(theme) {
    this.painter.theme = document.documentElement.dataset.theme = theme;
    if (this.page) this.legend();
    this.repaint();
  }
  fillPages() {
    const {graph} = this, select = this.element('page');
    for (const level of graph.pages) {
      const option = document.createElement('option');
      option.value = level;
      option.textContent = graph.text(graph.levels.title[level]);
      select.append(option);
    }
    select.addEventListener('change', () => this.show(Number(select.value), new Set()));
  }
  show(level, open) {
    this.page = new Page(this.graph, level);
    this.page.openKeys(open);
    this.element('page').value = level;
    this.select(null);
    this.changed();
    this.fit();
  }
  changed() {
    this.painter.measureHeat(this.page);
    this.legend();
    this.repaint();
  }
  legend() {
    const box = this.element('legend'), {painter} = this;
    box.hidden = !(painter.hot > 0);
    if (box.hidden) return;
    box.replaceChildren(this.graph.overlayTitle, document.createElement('br'), '≤ ' + measureText(painter.cold, this.graph.overlayUnit) + ' ');
    for (let step = 0; step < 10; ++step) {
      const cell = document.createElement('i');
      cell.style.background = painter.color('heat' + step);
      box.append(cell);
    }
    box.append(' ' + measureText(painter.hot, this.graph.overlayUnit) + ' · hatched: apportioned within a kernel');
  }

  // --- moving
  // What the panel beside and the legend below leave free, in pixels.
  freeWidth() {
    const panel = this.element('panel');
    return Math.max(this.canvas.clientWidth - (panel.hidden ? 0 : panel.offsetWidth), 100);
  }
  freeHeight() {
    const legend = this.element('legend'), {clientHeight} = this.canvas;
    return Math.max(legend.hidden ? clientHeight : legend.offsetTop, 100);
  }
  fit() {
    const {painter, page} = this, margin = 30, width = this.freeWidth(), height = this.freeHeight();
    const w = Math.max(page.root.w, 1), h = Math.max(page.root.h, 1);
    painter.zoom = Math.min((width - margin) / w, (height - margin) / h, 1.5);
    painter.left = (w - width / painter.zoom) / 2;
    painter.top = (h - height / painter.zoom) / 2;
    this.repaintMoved();
  }
  zoomAt(factor, x, y) {
    const {painter} = this, before = painter.zoom;
    painter.zoom = Math.min(Math.max(before * factor, 0.0005), 8);
    painter.left += x / before - x / painter.zoom;
    painter.top += y / before - y / painter.zoom;
    this.repaintMoved();
  }
  move(dx, dy) {
    this.painter.left -= dx / this.painter.zoom;
    this.painter.top -= dy / this.painter.zoom;
    this.repaintMoved();
  }
  centre(item) {
    const {painter, canvas} = this, place = this.page.placeOf(item);
    painter.zoom = Math.max(painter.zoom, 0.9);
    painter.left = place.x + place.w / 2 - this.freeWidth() / painter.zoom / 2;
    painter.top = place.y + Math.min(place.h, 200) / 2 - canvas.clientHeight / painter.zoom / 2;
    this.repaintMoved();
  }
  at(event) {
    const area = this.canvas.getBoundingClientRect(), {painter} = this;
    const x = event.clientX - area.left, y = event.clientY - area.top;
    return {x, y, item: this.page.itemAt(painter.left + x / painter.zoom, painter.top + y / painter.zoom)};
  }
  toggle(item) {
    if (!item || !item.canOpen) return;
    const before = this.page.placeOf(item);
    this.element('tip').hidden = true;  // of a box that was there
    this.page.toggle(item);
    const after = this.page.placeOf(item);
    this.painter.left += after.x - before.x;
    this.painter.top += after.y - before.y;
    this.changed();
  }

  // --- one box
  select(item) {
    this.painter.selected = item;
    const panel = this.element('panel');
    panel.hidden = !item;
    panel.replaceChildren();
    if (item) this.describe(item, panel);
    this.repaint();
  }
  facts(item) {
    const {graph} = this, i = item.box < 0 ? -1 : graph.boxes.instruction[item.box];
    const out = [];
    if (i >= 0 && (item.kind !== GROUP || graph.isCaller(item.box))) {
      out.push(['Name', graph.instructions.name[i]], ['Operation', graph.text(graph.instructions.opcode[i])],
               ['Shape', graph.text(graph.instructions.shape[i])], ['Scope', graph.text(graph.instructions.opName[i])],
               ['Source', graph.text(graph.instructions.source[i])]);
    } else if (item.subtitle) {
      out.push(['Holds', item.subtitle]);
    }
    if (item.ns > 0) out.push([this.graph.overlayTitle.split(' · ')[0], measureText(item.ns, this.graph.overlayUnit)]);
    return out.filter(([, text]) => text);
  }
  describe(item, panel) {
    const {graph} = this, add = (tag, text) => {
      const element = document.createElement(tag);
      element.textContent = text;
      panel.append(element);
      return element;
    };
    add('h2', item.title + (item.repeats > 0 ? ' ×' + item.repeats : ''));
    for (const [label, text] of this.facts(item)) {
      add('h3', label);
      add('div', text);
    }
    if (item.canOpen) add('a', item.view ? 'Close the group' : 'Open the group').onclick = () => {
      this.toggle(item);
      this.select(item);
    };
    const i = item.box >= 0 && (item.kind === INSTRUCTION || graph.isCaller(item.box)) ? graph.boxes.instruction[item.box] : -1;
    if (i < 0) return;
    const list = (title, instructions) => {
      if (instructions.length) add('h3', title);
      for (const other of instructions.slice(0, 100))
        add('a', graph.instructions.name[other] + '  ' + graph.text(graph.instructions.shape[other]).slice(0, 60)).onclick =
          () => this.reveal(other);
      if (instructions.length > 100) add('div', 'and ' + (instructions.length - 100) + ' more');
    };
    list('Operands', graph.operandsOf(i));
    list('Users', graph.usersOf(i));
  }
  reveal(instruction) {
    if (this.graph.boxOf[instruction] < 0) return;  // a constant, drawn beside its users
    let item = this.page.reveal(instruction);
    if (!item) {
      this.show(this.graph.pageOf(this.graph.boxOf[instruction]), new Set());
      item = this.page.reveal(instruction);
    }
    this.changed();
    this.select(item);
    this.centre(item);
    history.replaceState(null, '', '#' + encodeURIComponent(this.graph.instructions.name[instruction]));
  }
  // file.html#NAME or #COMPUTATION/NAME shows an instruction.
  followLink() {
    const wanted = decodeURIComponent(location.hash.slice(1));
    if (!wanted) return;
    const found = this.graph.instructions.name.indexOf(wanted.split('/').at(-1).replace(/^%/, ''));
    if (found >= 0) this.reveal(found);
  }

  // --- search
  search(query) {
    this.hits = query.trim() ? this.graph.find(query) : [];
    this.hit = -1;
    this.painter.setHits(query.trim() ? this.hits : null);
    this.element('count').textContent = !query.trim() ? '' : this.hits.length ? this.hits.length + ' found' : 'none';
    this.repaint();
  }
  nextHit(step) {
    if (!this.hits.length) return;
    this.hit = (this.hit + step + this.hits.length) % this.hits.length;
    this.element('count').textContent = this.hit + 1 + ' of ' + this.hits.length;
    this.reveal(this.hits[this.hit]);
  }

  // --- events
  listen() {
    this.listenToPointer();
    const search = this.element('search');
    let timer;
    search.addEventListener('input', () => {
      clearTimeout(timer);
      timer = setTimeout(() => this.search(search.value), 120);
    });
    search.addEventListener('keydown', event => {
      if (event.key === 'Enter') {
        clearTimeout(timer);
        if (this.hit < 0) this.search(search.value);
        this.nextHit(event.shiftKey ? -1 : 1);
      } else if (event.key === 'Escape') {
        search.value = '';
        this.search('');
        this.canvas.focus();
      }
    });
    this.element('fit').onclick = () => this.fit();
    this.element('close').onclick = () => {
      this.page.closeAll();
      this.select(null);
      this.changed();
      this.fit();
    };
    this.element('theme').onclick = () => this.setTheme(this.painter.theme === 'dark' ? 'light' : 'dark');
    window.addEventListener('resize', () => this.repaint());
    window.addEventListener('hashchange', () => this.followLink());
    window.addEventListener('keydown', event => this.key(event));
  }
  key(event) {
    if (event.target.matches('input, select') || event.ctrlKey || event.metaKey || event.altKey) return;
    const middle = [this.canvas.clientWidth / 2, this.canvas.clientHeight / 2];
    const actions = {
      '/': () => this.element('search').focus(), f: () => this.fit(), '+': () => this.zoomAt(1.25, ...middle),
      '=': () => this.zoomAt(1.25, ...middle), '-': () => this.zoomAt(0.8, ...middle), Escape: () => this.select(null),
      ArrowLeft: () => this.move(60, 0), ArrowRight: () => this.move(-60, 0), ArrowUp: () => this.move(0, 60),
      ArrowDown: () => this.move(0, -60), n: () => this.nextHit(1), N: () => this.nextHit(-1),
      Enter: () => { if (event.target === this.canvas || event.target === document.body) this.toggle(this.painter.selected); },
    };
    if (!actions[event.key]) return;
    if (event.key !== 'Enter') event.preventDefault();
    actions[event.key]();
  }
  listenToPointer() {
    const {canvas} = this, fingers = new Map();
    let moved = 0;
    canvas.addEventListener('pointerdown', event => {
      canvas.setPointerCapture(event.pointerId);
      fingers.set(event.pointerId, event);
      if (fingers.size === 1) moved = 0;
      canvas.focus();
    });
    canvas.addEventListener('pointermove', event => {
      const before = fingers.get(event.pointerId);
      if (!before) return this.hover(event);
      if (fingers.size === 1) this.move(event.clientX - before.clientX, event.clientY - before.clientY);
      if (fingers.size === 2) this.pinch([...fingers.values()].find(f => f.pointerId !== event.pointerId), before, event);
      moved += Math.abs(event.clientX - before.clientX) + Math.abs(event.clientY - before.clientY);
      fingers.set(event.pointerId, event);
    });
    const lift = event => {
      fingers.delete(event.pointerId);
      if (event.type === 'pointerup' && !fingers.size && moved < 5) this.select(this.at(event).item);
    };
    canvas.addEventListener('pointerup', lift);
    canvas.addEventListener('pointercancel', lift);
    canvas.addEventListener('pointerleave', () => this.element('tip').hidden = true);
    canvas.addEventListener('dblclick', event => {
      this.toggle(this.at(event).item);
      this.select(this.painter.selected);
    });
    canvas.addEventListener('wheel', event => {
      event.preventDefault();
      this.element('tip').hidden = true;
      const {x, y} = this.at(event);
      this.zoomAt(Math.exp(-event.deltaY * (event.deltaMode ? 0.05 : 0.0015)), x, y);
    }, {passive: false});
  }
  pinch(still, before, now) {
    const distance = finger => Math.max(Math.hypot(finger.clientX - still.clientX, finger.clientY - still.clientY), 1);
    const area = this.canvas.getBoundingClientRect();
    this.zoomAt(distance(now) / distance(before), (still.clientX + now.clientX) / 2 - area.left,
                (still.clientY + now.clientY) / 2 - area.top);
  }
  hover(event) {
    const tip = this.element('tip'), {x, y, item} = this.at(event);
    tip.hidden = !item || item.view !== null;
    if (tip.hidden) return;
    tip.textContent = [item.title, ...this.facts(item).map(([label, text]) => label + ': ' + text.slice(0, 300))].join('\n');
    const {clientWidth, clientHeight} = this.canvas;
    tip.style.left = Math.min(x + 14, Math.max(clientWidth - tip.offsetWidth - 8, 0)) + 'px';
    tip.style.top = (y + 18 + tip.offsetHeight > clientHeight ? Math.max(y - tip.offsetHeight - 8, 0) : y + 18) + 'px';
  }
}

(async () => {
  try {
    window.tessera = new App(new Graph(await inflate(document.getElementById('data').textContent.trim())));
  } catch (error) {
    document.getElementById('help').textContent = typeof DecompressionStream === 'undefined'
      ? 'This browser cannot unpack the graph: Firefox 113, Chrome 80 or Safari 16.4 and later can.'
      : 'The graph cannot be shown: ' + error.message;
    throw error;
  }
})();
