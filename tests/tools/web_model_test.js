// The data and the model of an HTML export, as a browser runs them: node web_model_test.js MODEL.js FILE.html…
// Each instruction has a way to it, boxes never overlap whatever is open, wires end at their boxes, words are found.
// Titles seen from afar fit into their boxes. A page that is moved paints what comes into sight.
'use strict';
const fs = require('fs'), path = require('path'), zlib = require('zlib'), assert = require('assert');
const model = path.resolve(process.argv[2]);
Object.assign(globalThis, require(model));  // scripts of a page share their names
const {Painter, shorterForms} = require(path.join(path.dirname(model), 'canvas.js'));

function read(file) {
  const text = fs.readFileSync(file, 'utf8');
  const data = /<script id="data"[^>]*>([^<]*)</.exec(text)[1];
  return new Graph(JSON.parse(zlib.inflateSync(Buffer.from(data, 'base64')).toString()));
}

function checkView(view) {
  const items = [...view.items].sort((a, b) => a.y - b.y);
  items.forEach((a, i) => {
    for (let k = i + 1; k < items.length && items[k].y < a.y + a.h - 2; ++k) {
      const b = items[k];
      assert(b.x >= a.x + a.w - 2 || a.x >= b.x + b.w - 2, a.title + ' overlaps ' + b.title);
    }
    assert(a.x + a.w <= view.w + 2 && a.y + a.h <= view.h + 2, a.title + ' leaves its group');
    if (a.view) {
      assert(a.w >= a.view.w + 2 * PADDING - 1 && a.h >= a.view.h + HEADER + PADDING - 1);
      checkView(a.view);
    }
  });
  for (const wire of view.wires)
    for (const [point, item] of [[wire.points[0], wire.from], [wire.points.at(-1), wire.to]])
      assert(point.x >= item.x - 2 && point.x <= item.x + item.w + 2 && point.y >= item.y - 2 &&
             point.y <= item.y + item.h + 2, 'a wire misses ' + item.title);
}

// Letters as wide as six tenths of their height.
function checkFarTitles() {
  const pen = {measureText: text => ({width: 60 * text.length})};
  const painter = new Painter({getContext: () => pen}, null);
  painter.zoom = 0.25;
  const far = (title, times, w, h) => painter.farLines(title, times, w, h);
  assert.deepStrictEqual(far('add', '', 200, 60).lines, ['add']);
  assert.deepStrictEqual(far('layer norm', '', 170, 120).lines, ['layer', 'norm']);
  assert.deepStrictEqual(far("p['h'] 94", '', 110, 60).lines, ['94']);
  assert.deepStrictEqual(far("gradient of blk: p['h'][3]", '', 420, 60).lines, ['gradient of blk']);
  assert.deepStrictEqual(far("['Dense_0']['kernel']", '', 220, 60).lines, ['kernel']);
  assert.strictEqual(far('concatenate', ' ×12', 260, 60).lines[0], 'conca… ×12');
  assert.deepStrictEqual(far('add', '', 20, 60).lines, []);
  for (const {size, lines} of [far('a_long_name of several words', '', 230, 130), far('concatenate', ' ×12', 260, 60)])
    for (const line of lines) assert(0.6 * size * line.length <= 260, line);
  assert.deepStrictEqual(shorterForms('x', ''), ['x', 'x']);
}
checkFarTitles();

// A canvas that notes where boxes are outlined or filled, in units of the page.
class RecordingPen {
  constructor() { Object.assign(this, {x: 0, y: 0, scale: 1, kept: [], boxes: [], copies: 0}); }
  setTransform(scale, b, c, d, x, y) { Object.assign(this, {scale, x: x / scale, y: y / scale}); }
  translate(dx, dy) { this.x += dx, this.y += dy; }
  save() { this.kept.push([this.x, this.y, this.scale]); }
  restore() { [this.x, this.y, this.scale] = this.kept.pop(); }
  note(x, y) { this.boxes.push(Math.round(x + this.x - this.page.x) + ' ' + Math.round(y + this.y - this.page.y)); }
  rect(x, y) { this.note(x, y); }
  roundRect(x, y) { this.note(x, y); }
  fillRect(x, y) { this.note(x, y); }
  drawImage() { ++this.copies; }
  measureText(text) { return {width: 60 * text.length}; }
}
for (const name of ['beginPath', 'clip', 'fill', 'stroke', 'moveTo', 'lineTo', 'bezierCurveTo', 'fillText'])
  RecordingPen.prototype[name] = () => {};

// What comes into sight is painted, and of what stays nothing but a copy. The window is moved by 16 pixels, to where a box
// begins to be seen at its right and lower edge.
function checkMoves(graph, page) {
  globalThis.window = {devicePixelRatio: 1};
  const pen = new RecordingPen(), canvas = {clientWidth: 400, clientHeight: 300, width: 400, height: 300, getContext: () => pen};
  const leaves = [], collect = view => view.items.forEach(item => item.view ? collect(item.view) : leaves.push(page.placeOf(item)));
  collect(page.root);
  const key = ({x, y}) => Math.round(x) + ' ' + Math.round(y);
  for (const zoom of [1, 0.1])
    for (let k = 0; k < leaves.length; k += Math.ceil(leaves.length / 20)) {
      const painter = new Painter(canvas, graph), corner = leaves[k];
      painter.measureHeat(page);
      const paint = (left, top) => {
        Object.assign(painter, {zoom, left, top});
        Object.assign(pen, {boxes: [], copies: 0, page: {x: -Math.round(left * zoom) / zoom, y: -Math.round(top * zoom) / zoom}});
        painter.paint(page);
        return new Set(pen.boxes);
      };
      const left = corner.x - 392 / zoom, top = corner.y - 292 / zoom;
      paint(left - 16 / zoom, top - 16 / zoom);
      const moved = paint(left, top);
      assert.strictEqual(pen.copies, 1);
      assert(moved.has(key(corner)), 'a box is missing after a move');
      const stays = box => box.x + box.w < left + 300 / zoom && box.y + box.h < top + 200 / zoom;
      for (const box of leaves.filter(stays)) assert(!moved.has(key(box)), 'a box is painted again');
      assert.strictEqual(paint(left, top).size, 0);
      painter.stale = true;
      assert(paint(left, top).has(key(corner)) && pen.copies === 0);
    }
}

for (const file of process.argv.slice(3)) {
  const graph = read(file), page = new Page(graph, graph.page);
  checkView(page.root);
  page.openKeys(new Set(graph.open));
  const opened = new Set(), collect = view => view.items.forEach(item => {
    if (item.view) opened.add(item.key), collect(item.view);
  });
  collect(page.root);
  for (const key of graph.open) assert(opened.has(key), key + ' is not open');
  const own = [...graph.boxOf.keys()].filter(i => graph.boxOf[i] >= 0 && graph.pageOf(graph.boxOf[i]) === graph.page);
  assert(own.length > 0);
  const step = Math.max(1, Math.floor(own.length / 60));
  for (let k = 0; k < own.length; k += step) {
    const item = page.reveal(own[k]);
    assert(item && graph.boxes.instruction[item.box] === own[k], graph.instructions.name[own[k]] + ' is not found');
  }
  checkView(page.root);
  checkMoves(graph, page);
  for (const item of [...page.root.items]) if (item.view) page.toggle(item);
  checkView(page.root);
  const name = graph.instructions.name[own[own.length - 1]];
  assert(graph.find(name).includes(own[own.length - 1]) && graph.find(name + ' zzzz').length === 0);
  console.log(file + ': ' + own.length + ' instructions');
}
