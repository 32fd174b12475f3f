// The data and the model of an HTML export, as a browser runs them: node web_model_test.js MODEL.js FILE.html…
// Each instruction has a way to it, boxes never overlap whatever is open, wires end at their boxes, words are found.
// Titles seen from afar fit into their boxes.
'use strict';
const fs = require('fs'), path = require('path'), zlib = require('zlib'), assert = require('assert');
const {Graph, Page, HEADER, PADDING} = require(process.argv[2]);
const {Painter, shorterForms} = require(path.join(path.dirname(process.argv[2]), 'canvas.js'));

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
  for (const item of [...page.root.items]) if (item.view) page.toggle(item);
  checkView(page.root);
  const name = graph.instructions.name[own[own.length - 1]];
  assert(graph.find(name).includes(own[own.length - 1]) && graph.find(name + ' zzzz').length === 0);
  console.log(file + ': ' + own.length + ' instructions');
}
