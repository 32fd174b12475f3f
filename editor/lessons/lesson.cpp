// The lessons in the order in which they build on each other.
#include "editor/lessons/lesson.h"

#include "editor/lessons/lesson_graphs.h"

namespace tessera {
namespace {

constexpr Check above(std::string_view of, double number, int64_t element = 0) {
  return {.kind = Check::Kind::Above, .of = of, .element = element, .number = number};
}
constexpr Check equals(std::string_view of, double number, int64_t element = 0) {
  return {.kind = Check::Kind::Equals, .of = of, .element = element, .number = number};
}
constexpr Check shaped(std::string_view of, std::string_view shape) {
  return {.kind = Check::Kind::Shaped, .of = of, .shape = shape};
}
constexpr Check laidOut(std::string_view of, std::string_view shape) {
  return {.kind = Check::Kind::LaidOut, .of = of, .shape = shape};
}
constexpr Check looksInto(std::string_view of, double application) {
  return {.kind = Check::Kind::LooksInto, .of = of, .number = application};
}

constexpr LessonStep kBroadcast[] = {
    {"<b>Drag</b> the number ‹2› of <a href=\"node:number\">number</a> to the right (or press Shift+V there, "
     "<i>Constant</i>) until the first element of <a "
     "href=\"node:sum\">sum</a> is more than 6. All six elements move.",
     above("sum", 6)},
    {"<a href=\"node:rows\">rows</a> is a broadcast, too, with <code>dimensions={1}</code>. Along which dimension of "
     "<code>f32[2,3]</code> do its three numbers lie?",
     {},
     {{{"dimension 0", "Dimension 0 has size 2: three numbers do not fit."},
       {"dimension 1", "Dimension 1 has size 3, and along dimension 0 the row is repeated.", true}}}},
    {"Select <a href=\"node:rows\">rows</a> and type <code>{0}</code> for <i>dimensions</i> in the inspector. What "
     "happens?",
     {},
     {{{"the numbers stand in columns", "Only a value of two numbers lies along a dimension of size 2."},
       {"it is refused", "Sizes have to agree: the field and the node say which do not. Ctrl+Z takes it back.",
        true}}}},
};

constexpr LessonStep kTranspose[] = {
    {"<a href=\"node:line\">line</a> counts from 0 to 23, and <b>reshape</b> cuts it into <code>f32[2,3,4]</code>, the "
     "last dimension first. Which number is element (0, 1, 0) of <a href=\"node:block\">block</a>?",
     {},
     {{{"1", "Element (0, 0, 1) is 1: a step along the last dimension is the next number."},
       {"4", "A step along dimension 1 passes a whole row of four.", true},
       {"12", "That is element (1, 0, 0): a step along dimension 0 passes 3 × 4 numbers."}}}},
    {"Select <a href=\"node:turned\">turned</a> and <b>drag</b> the chips under <i>dimensions</i> in the inspector "
     "until its shape is <code>f32[3,4,2]</code>.",
     shaped("turned", "f32[3,4,2]")},
    {"<b>Drag</b> the number ‹1› of <a href=\"node:scale\">scale</a> until the last element of <a "
     "href=\"node:turned\">turned</a> is more than 30: values change, shapes do not.",
     above("turned", 30, 23)},
};

constexpr LessonStep kLayout[] = {
    {"<a href=\"node:x\">x</a> is <code>f32[2,3]{0,1}</code>. Which elements are neighbours in memory?",
     {},
     {{{"(0, 0) and (1, 0)", "Dimension 0 comes first in {0,1}: columns lie together.", true},
       {"(0, 0) and (0, 1)", "They would be for {1,0}. Here dimension 0 comes first."}}}},
    {"<b>Drag</b> the chips in the Layout panel until dimension 1 comes first, and apply it: "
     "<code>f32[2,3]{1,0}</code>. The array stays, its memory is sorted anew.",
     laidOut("x", "f32[2,3]{1,0}")},
    {"Point at element (1, 0) in the panel. At which place of the memory does it lie now? Places count from 0.",
     {},
     {{{"1", "That was its place before: now a whole row of three comes first."},
       {"2", "That is element (0, 2)."},
       {"3", "1 · 3 + 0 · 1 = 3: the panel writes the formula between the two.", true}}}},
};

constexpr LessonStep kTiles[] = {
    {"<a href=\"node:x\">x</a> is <code>f32[3,5]{1,0:T(2,2)}</code>: it is cut into tiles of 2 × 2, and the elements "
     "of a tile lie together. How many tiles does it take?",
     {},
     {{{"4", "Four tiles have room for 16 elements, but only four columns wide."},
       {"6", "Two rows of tiles and three columns of them; what they do not fill is padding.", true},
       {"15", "That is the number of elements."}}}},
    {"How many of the 24 places in memory are padding?",
     {},
     {{{"1", "24 − 15 is more than that."},
       {"9", "24 − 15: the panel hatches them.", true},
       {"none", "3 and 5 are no multiples of 2."}}}},
    {"Change the layout in the panel to <code>f32[3,5]{1,0}</code>, without tiles, and apply it: the padding goes.",
     laidOut("x", "f32[3,5]{1,0}")},
};

constexpr LessonStep kReduce[] = {
    {"<a href=\"node:down\">down</a> reduces <code>f32[2,3]</code> over dimension 0. Which shape is left?",
     {},
     {{{"f32[3]", "Dimension 0 goes, three sums stay.", true},
       {"f32[2]", "That is across, which reduces over dimension 1."},
       {"f32[1,3]", "The dimension goes; it does not become 1."}}}},
    {"<b>Drag</b> the number ‹1› of <a href=\"node:number\">number</a> until the first sum of <a "
     "href=\"node:down\">down</a> is more than 10.",
     above("down", 10)},
    {"<b>Double click</b> <a href=\"node:down\">down</a> to see <i>add</i> at work, click the node inside, and choose "
     "a later application in the bar above.",
     looksInto("down", 1)},
};

constexpr LessonStep kDot[] = {
    {"<a href=\"node:left\">left</a> is 2 × 3, <a href=\"node:columns\">columns</a> is 3 × 4. Which size meets, "
     "and is gone in <a href=\"node:product\">product</a>?",
     {},
     {{{"2", "2 is the size of the rows of the product."},
       {"3", "Both have it: element by element they are multiplied and added up.", true},
       {"4", "4 is the size of the columns of the product."}}}},
    {"<b>Drag</b> the number ‹1› of <a href=\"node:number\">number</a> until the last element of <a "
     "href=\"node:product\">product</a> is more than 12.",
     above("product", 12, 7)},
    {"Select <a href=\"node:product\">product</a>. In the picture of pairs in the inspector, drag one end of the pair "
     "away: without a contraction every element meets every element, <code>f32[2,3,3,4]</code>.",
     shaped("product", "f32[2,3,3,4]")},
};

constexpr LessonStep kConvolution[] = {
    {"<b>Drag</b> the number ‹1› of <a href=\"node:middle\">middle</a>, the centre of the kernel, until the "
     "element of <a href=\"node:filtered\">filtered</a> in row 3 and column 3 is more than 20.",
     above("filtered", 20, 3 * 8 + 3)},
    {"The picture is 8 × 8, the kernel 3 × 3, the padding 1 at each edge. How large would the result be without "
     "padding?",
     {},
     {{{"8 × 8", "That is with padding: the kernel stands over each place."},
       {"6 × 6", "The kernel fits at 8 − 3 + 1 places in a row.", true},
       {"5 × 5", "8 − 3 steps are 8 − 3 + 1 places."}}}},
    {"Select <a href=\"node:filtered\">filtered</a> and make the <i>stride</i> 2 × 2, in the window picture or its "
     "field: the result becomes 4 × 4.",
     shaped("filtered", "f32[1,1,4,4]")},
};

constexpr LessonStep kGather[] = {
    {"<b>Drag</b> the number ‹1› of <a href=\"node:first\">first</a> until the first row of <a "
     "href=\"node:picked\">picked</a> is row 3 of <a href=\"node:table\">table</a>: 30, 31, 32, 33.",
     equals("picked", 30)},
    {"<code>slice_sizes={1,4}</code> and <code>collapsed_slice_dims={0}</code>: what does one index pick?",
     {},
     {{{"one element", "A slice is 1 × 4."},
       {"a row of four", "A slice is 1 × 4, and its dimension of size 1 goes.", true},
       {"a column of six", "Slices are one row high."}}}},
    {"<b>Drag</b> the number of <a href=\"node:first\">first</a> beyond 5: there is no such row.", above("first", 5)},
    {"What does <b>gather</b> give for it?",
     {},
     {{{"an error", "HLO has no errors at run time here."},
       {"zeros", "Look at the first row of picked."},
       {"the last row that fits", "The index is moved to the nearest slice that lies inside.", true}}}},
};

constexpr LessonStep kWhile[] = {
    {"<b>Drag</b> the number ‹5› of <a href=\"node:times\">times</a> until "
     "<a href=\"node:power\">power</a> is 1024.",
     equals("power", 1024)},
    {"Click a node of the <i>body</i> and choose iteration 3 or a later one in the bar above: its values are those of "
     "that iteration.",
     looksInto("loop", 2)},
    {"How many values does <a href=\"node:loop\">loop</a> carry from one iteration to the next?",
     {},
     {{{"one", "The value that doubles is one of them."},
       {"two", "The limit is carried, too, although it stays."},
       {"three", "Iteration, limit and value: Carried in the bar lists them.", true}}}},
};

const Lesson kLessons[] = {
    {"broadcast", "Broadcast: one value many times",
     "A scalar has no dimensions. <b>broadcast</b> writes it into every place of a larger array.",
     "broadcast repeats a value along dimensions; its own dimensions keep their sizes.", "broadcast_in_dim",
     kBroadcastGraph, "number", "number", "inspector", kBroadcast},
    {"transpose", "Reshape and transpose",
     "<b>reshape</b> keeps the order of the elements and cuts the line anew. <b>transpose</b> changes the order of the "
     "dimensions.",
     "reshape keeps the order of the elements; transpose changes that of the dimensions.", "collapse_012",
     kTransposeGraph, "scale", "turned", "inspector", kTranspose},
    {"layout", "Layout: where elements lie in memory",
     "A shape says which elements there are; the <b>layout</b> says in which order they lie in memory, the fastest "
     "dimension first.",
     "a layout changes where elements lie, never which they are.", "layout_minor_to_major_01", kLayoutGraph, "", "x",
     "layout", kLayout},
    {"tiles", "Tiles: memory in blocks",
     "Accelerators read memory in blocks. <b>Tiles</b> cut an array into such blocks; what an array does not fill is "
     "padding.",
     "tiles make blocks of neighbours, and cost padding where sizes are no multiples.", "layout_padded", kTilesGraph,
     "", "x", "layout", kTiles},
    {"reduce", "Reduce: a dimension goes",
     "<b>reduce</b> puts all elements along a dimension into one, with a small computation: here <i>add</i>.",
     "reduce takes a dimension away, by a computation of two elements.", "reduce_2d_dimension_0", kReduceGraph,
     "number", "down", "inspector", kReduce},
    {"dot", "Dot: contracting a dimension", "A matrix product multiplies along one dimension of each side and adds up.",
     "dot contracts dimensions of equal size; all others stay, those of the left side first.", "dot_matrices",
     kDotGraph, "number", "product", "inspector", kDot},
    {"convolution", "Convolution: a window slides",
     "The kernel is laid over every place of the picture; what it covers is multiplied and added. <b>Padding</b> lets "
     "it stand over the edge.",
     "size, stride, padding and dilation of the window give the size of the result.", "conv_same", kConvolutionGraph,
     "middle", "filtered", "inspector", kConvolution},
    {"gather", "Gather: rows by number", "<b>gather</b> takes slices of an array at places that are themselves values.",
     "gather picks slices of one size, at places that a value holds.", "gather_slices", kGatherGraph, "first", "picked",
     "inspector", kGather},
    {"while", "While: a loop",
     "<b>while</b> carries a tuple round: the <i>condition</i> looks at it, the <i>body</i> gives the next one.",
     "all that a loop knows is the tuple that it carries.", "while_1000", kWhileGraph, "times", "loop", "inspector",
     kWhile},
};

}  // namespace

std::span<const Lesson> lessons() { return kLessons; }

}  // namespace tessera
