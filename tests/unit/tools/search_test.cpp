// Queries: every field, every error, what f64 means, completion.
#include <algorithm>

#include "core/tools/query/query_completion.h"
#include "core/tools/query/search.h"
#include "core/tools/query/unknown_names.h"
#include "tests/unit/tools/test_modules.h"

namespace tessera {
namespace {

using test::moduleOf;
using test::named;

// Names of what is found, blank separated; in two computations with one name, it appears twice. Or the error.
std::string found(const Module& module, std::string_view text) {
  const auto query = Query::parse(text);
  if (!query) return query.error().toString();
  std::string out;
  for (InstructionId id : search(module, *query)) out += (out.empty() ? "" : " ") + std::string(module.at(id).name);
  return out;
}

// Two levels of calls below the entry, types of two widths, scopes, source places and stack frames.
const char* kSearched = R"(HloModule searched

FileNames
1 "train/model.py"
2 "train/lib.py"

FunctionNames
1 "train_step"
2 "rope"

FileLocations
1 {file_name_id=1 function_name_id=1 line=40 end_line=40 column=3 end_column=9}
2 {file_name_id=2 function_name_id=2 line=7 end_line=7 column=3 end_column=9}

StackFrames
1 {file_location_id=1 parent_frame_id=1}
2 {file_location_id=2 parent_frame_id=2}

%sum (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %c = f32[] add(%a, %b)
}

%fused_transpose (p: f32[64,128]) -> f32[128,64] {
  %p = f32[64,128]{1,0} parameter(0)
  %scaled = f32[64,128]{1,0} multiply(%p, %p)
  ROOT %turned = f32[128,64]{1,0} transpose(%scaled), dimensions={1,0}
}

%body (state: (s32[], f32[128,64])) -> (s32[], f32[128,64]) {
  %state = (s32[], f32[128,64]{1,0}) parameter(0)
  %i = s32[] get-tuple-element(%state), index=0
  %x = f32[128,64]{1,0} get-tuple-element(%state), index=1
  %one = s32[] constant(1)
  %next = s32[] add(%i, %one)
  %copied = f32[128,64]{1,0} copy(%x),
    metadata={op_name="jit(step)/transpose(jvp(h.1))/copy" source_file="a b.py" source_line=3}
  ROOT %out = (s32[], f32[128,64]{1,0}) tuple(%next, %copied)
}

%condition (state.1: (s32[], f32[128,64])) -> pred[] {
  %state.1 = (s32[], f32[128,64]{1,0}) parameter(0)
  %i.1 = s32[] get-tuple-element(%state.1), index=0
  %ten = s32[] constant(10)
  ROOT %again = pred[] compare(%i.1, %ten), direction=LT
}

ENTRY %main (Arg_0: f32[64,128]) -> f64[128] {
  %Arg_0 = f32[64,128]{1,0} parameter(0)
  %transpose_fusion = f32[128,64]{1,0} fusion(%Arg_0), kind=kLoop, calls=%fused_transpose,
    metadata={op_name="jit(step)/jvp(h.10)/transpose" stack_frame_id=2}
  %zero = s32[] constant(0)
  %start = (s32[], f32[128,64]{1,0}) tuple(%zero, %transpose_fusion)
  %loop = (s32[], f32[128,64]{1,0}) while(%start), condition=%condition, body=%body
  %last = f32[128,64]{1,0} get-tuple-element(%loop), index=1
  %wide = f64[128,64]{1,0} convert(%last), metadata={op_name="jit(step)/loss/convert_element_type" stack_frame_id=1}
  %unused.f64 = f32[64,64]{1,0} broadcast(%narrow), dimensions={}
  %narrow = f32[] constant(0)
  %zero64 = f64[] constant(0)
  %big = f64[64,64]{1,0} broadcast(%zero64), dimensions={}
  %dot = f64[128,64]{1,0} dot(%wide, %big), lhs_contracting_dims={1}, rhs_contracting_dims={0}
  ROOT %result = f64[128,64]{1,0} tanh(%dot), frontend_attributes={kind="last"}
}
)";

Module searched() {
  std::string text = kSearched;
  // The constant before its user, as a reader wants it.
  const std::string broadcast =
      text.substr(text.find("  %unused.f64"), text.find("  %narrow =") - text.find("  %unused.f64"));
  text.erase(text.find(broadcast), broadcast.size());
  text.insert(text.find("  %zero64"), broadcast);
  text.replace(text.find("-> f64[128] {"), 13, "-> f64[128,64] {");
  return moduleOf(text);
}

TEST(Search, Globs) {
  EXPECT_TRUE(matchesGlob("all-*", "all-reduce"));
  EXPECT_TRUE(matchesGlob("*e*e", "reduce") && matchesGlob("r?duce*", "reduce") && matchesGlob("*", ""));
  EXPECT_FALSE(matchesGlob("all-*", "reduce") || matchesGlob("?", "") || matchesGlob("red", "reduce"));
  EXPECT_FALSE(matchesGlob(std::string(200, '*') + "b", std::string(20000, 'a')));
}
TEST(Search, ShapePatterns) {
  const auto matches = [](const char* pattern, const char* shape) {
    return ShapePattern::parse(pattern).value().matches(parseShape(shape).value());
  };
  EXPECT_TRUE(matches("f32[*,128]", "f32[7,128]"));
  EXPECT_TRUE(matches("[...,8]", "bf16[2,3,8]") && matches("[2,...]", "s32[2]") && matches("f*[2,...,4]", "f16[2,4]"));
  EXPECT_TRUE(matches("f32", "f32[1,2]") && matches("f32[]", "f32[]") && matches("s32[3]", "(f32[], (s32[3]))"));
  EXPECT_FALSE(matches("f32[*,128]", "f32[128]") || matches("f32[*]", "f32[]") || matches("f32[2]", "f32[3]"));
  EXPECT_FALSE(matches("[2,...,2]", "f32[2]") || matches("f32", "bf16[2]"));
  for (const char* wrong :
       {"", "f32[", "f32[a]", "f32[-1]", "f32[1,,2]", "[...,...]", "f32]2[", "f32[99999999999999999999]"})
    EXPECT_FALSE(ShapePattern::parse(wrong)) << wrong;
}

TEST(Search, NamesThatTheModuleDoesNotHaveAreTold) {
  const Module module = searched();
  const auto unknown = [&](const char* text) {
    return fmt::format("{}", fmt::join(unknownNames(module, Query::parse(text).value()), " | "));
  };
  EXPECT_EQ(unknown("near:3:nothing"), "near:nothing names no instruction or opcode of this module");
  EXPECT_EQ(unknown("op:transpos|dot"), "op:transpos names no opcode; did you mean transpose?");
  EXPECT_EQ(unknown("trace:wide,oops,result from:absent"),
            "trace:oops names no instruction or opcode of this module | "
            "from:absent names no instruction or opcode of this module");
  EXPECT_EQ(unknown("under:nowhere"), "under:nowhere names no scope of this module");
  EXPECT_EQ(unknown("in:elsewhere"), "in:elsewhere names no computation or instruction of this module");
  EXPECT_EQ(unknown("calls:wide"), "calls:wide names no computation of this module");
  for (const char* known : {"near:3:wide", "op:trans*", "op:cosine", "under:jvp/h.1", "under:/jvp.h/", "from:main/wide",
                            "in:loop", "calls:body", "-in:nobody", "nothing", "name:nothing", "bytes>1TB"})
    EXPECT_EQ(unknown(known), "") << known;
}

// A type is the type: not a part of a name, nor of another shape.
TEST(Search, AWordThatIsATypeIsTheType) {
  const Module module = searched();
  EXPECT_EQ(found(module, "f64"), "wide zero64 big dot result");
  EXPECT_EQ(found(module, "dtype:f64"), found(module, "f64"));
  EXPECT_EQ(found(module, "\"f64\""), "unused.f64");
  EXPECT_EQ(found(module, "f64[*,64]"), "wide big dot result");
  EXPECT_EQ(found(module, "f64|pred"), "again wide zero64 big dot result");
  EXPECT_EQ(found(module, "dtype:s* op:tuple"), "out start");  // of a tuple, any element's
}
TEST(Search, WordsAreToldFromTheRest) {
  for (const char* words : {"", "a", "a b|c", "(a \"f64\") | /x/"})
    EXPECT_TRUE(Query::parse(words).value().isWords()) << words;
  for (const char* rest : {"f64", "a -b", "op:a", "a f32[2]", "a | (b dtype:f32)"})
    EXPECT_FALSE(Query::parse(rest).value().isWords()) << rest;
}
TEST(Search, WordsArePartsOfNameOpcodeOpNameAndSource) {
  const Module module = searched();
  EXPECT_EQ(found(module, "zero"), "zero zero64");
  EXPECT_EQ(found(module, "get-tuple"), "i x i.1 last");
  EXPECT_EQ(found(module, "jvp"), "copied transpose_fusion");
  EXPECT_EQ(found(module, "lib.py:7"), "transpose_fusion");
  EXPECT_EQ(found(module, "arg_0"), "Arg_0");  // either case
  EXPECT_EQ(found(module, "ARG_0"), "");       // a capital is meant
  EXPECT_EQ(found(module, "zero -64"), "zero");
  EXPECT_EQ(found(module, "zero*"), "zero zero64");
  EXPECT_EQ(found(module, "/^zero\\d+$/"), "zero64");
  EXPECT_EQ(found(module, "zero next"), "");
  EXPECT_EQ(found(module, "zero64|next"), "next zero64");
  EXPECT_EQ(found(module, "zero64 | op:transpose"), "turned zero64");
  EXPECT_EQ(found(module, "(next | zero64) -(zero64 | tuple)"), "next");
  EXPECT_EQ(search(module, Query::parse("  ").value()).size(), module.instructionCount());
}
TEST(Search, EveryFieldFindsWhatItSays) {
  const Module module = searched();
  const std::pair<const char*, const char*> rows[] = {
      {"op:transpose|copy", "turned copied"},
      {"op:co*", "one copied ten again zero wide narrow zero64"},
      {"op:/^con/ -op:constant", "wide"},
      {"op:trans", ""},
      {"name:zero", "zero zero64"},
      {"name=zero", "zero"},
      {"name:\"zero\"", "zero zero64"},
      {"op_name:loss", "wide"},
      {"op_name:\"jit(step)/jvp\"", "transpose_fusion"},
      {"under:jvp", "copied transpose_fusion"},
      {"under:h.1", "copied"},
      {"under:h.*", "copied transpose_fusion"},
      {"under:transpose/jvp", "copied"},
      {"under:transpose(jvp(h.1))", "copied"},
      {"under:step/loss", "wide"},
      {"under:<lambda>", ""},
      {"under:convert_element_type", ""},  // the primitive is no scope
      {"under:/jvp.h.10/", "transpose_fusion"},
      {"file:model.py", "wide"},
      {"file:lib.py:7", "transpose_fusion"},
      {"file:\"a b.py\"", "copied"},
      {"line:7", "transpose_fusion"},
      {"line<10", "copied transpose_fusion"},
      {"function:rope", "transpose_fusion"},
      {"function:train", "wide"},
      {"stack:train_step", "transpose_fusion wide"},
      {"dtype:pred", "again"},
      {"dtype=pred", "again"},
      {"shape:pred[]|f32[64,64]", "again unused.f64"},
      {"shape:[*, 64] op:fusion", "transpose_fusion"},
      {"dim:128 in=main", "Arg_0 transpose_fusion start loop last wide dot result"},
      {"rank=2 is:fused", "p scaled turned"},
      {"elements>4k dtype:f32 is:entry", "Arg_0 transpose_fusion last unused.f64"},
      {"bytes:65536", "wide dot result"},
      {"bytes>=64KiB", "wide dot result"},
      {"bytes>65.5kB", "wide dot result"},
      {"bytes<5 op:constant", "one ten zero narrow"},
      {"accessed>90kB is:entry -op:while -op:fusion", "wide dot result"},
      {"flops>1M", "dot"},
      {"flops>=1048576", "dot"},
      {"transcendentals>0", "result"},
      {"attr:direction", "again"},
      {"attr:direction=lt", "again"},
      {"attr:direction=GT", ""},
      {"attr:dimensions={1,0}", "turned"},
      {"attr:kind", "transpose_fusion"},
      {"attr:metadata", "copied transpose_fusion wide"},
      {"attr:frontend*=last", "result"},
      {"in:transpose", "p scaled turned"},  // the fusion that runs it
      {"in:condition", "state.1 i.1 ten again"},
      {"in:loop op:copy|compare", "copied again"},
      {"in:loop op:copy|op:compare", "copied again"},
      {"in:loop op:copy|bytes<2", "copied again"},
      {"in:main op:dot|copy", "dot"},  // of the entry only what is in it
      {"is:loop op:add|copy", "next copied"},
      {"is:fused op:multiply", "scaled"},
      {"is:root", "c turned out again result"},
      {"is:unused -in:sum", "unused.f64"},
      {"is:entry op:constant", "zero narrow zero64"},
      {"calls:fused", "transpose_fusion"},
      {"operand:compare|tanh", ""},
      {"operand:constant op:broadcast", "unused.f64 big"},
      {"operand=wide", "dot"},
      {"user:dot", "wide big"},
      {"user:result", "dot"},
      {"from:Arg_0 op:copy|dot|convert", "copied wide dot"},  // through the fusion and the loop
      {"from:zero64 -op:broadcast", "zero64 dot result"},
      {"feeds:dot op:constant", "one ten zero zero64"},
      {"from:main/Arg_0 feeds:body/copied is:fused", "p scaled turned"},
      {"from:Arg_0 feeds:zero", ""},
      {"near:zero64", "zero64 big dot"},
      {"near:1:zero64", "zero64 big"},
      {"near:0:zero64|1:big", "zero64 big dot"},
      {"near:0:main/zero64", "zero64"},
      {"near:3:nobody", ""},
      {"trace:zero64,dot", "zero64 big dot"},
      {"trace:zero64,big,dot", "zero64 big dot"},
      {"trace:dot,zero64", ""},  // not upwards
      {"trace:main/zero64,dot|nobody,dot", "zero64 big dot"},
      {"operands:2 is:entry", "start dot"},
      {"users>1", "state"},
      {"users=0 op:broadcast", "unused.f64"},
  };
  for (const auto& [query, names] : rows) EXPECT_EQ(found(module, query), names) << query;
  for (const QueryFieldRow& row : queryFields()) {
    EXPECT_TRUE(std::ranges::any_of(rows,
                                    [&](const auto& one) {
                                      const std::string_view text = one.first;
                                      return text.starts_with(row.name) &&
                                             text.substr(row.name.size()).find_first_of(":=<>") == 0;
                                    }))
        << "no row tests " << row.name;
    EXPECT_TRUE(Query::parse(row.example)) << row.example;
  }
}
TEST(Search, ErrorsNameTheColumnWhatWasExpectedAndFound) {
  const std::pair<const char*, const char*> rows[] = {
      {"opp:dot",
       "error: column 1: no field is named opp; did you mean op?; a text that holds such a sign stands in "
       "quotes"},
      {"dot foo:bar", "column 5: no field is named foo"},
      {"dot op:", "column 8: op has no value; expected one as in op:transpose|copy, found the end"},
      {"op:a|", "column 6: op has no value"},
      {"a| b", "column 3: a word is missing; expected one behind |, found b"},
      {"a | ", "column 5: a word or a field is missing; expected one such as op:copy, found the end"},
      {"| a", "column 1: a word or a field is missing"},
      {"()", "column 2: a word or a field is missing; expected one such as op:copy, found )"},
      {"(dot", "column 1: ( is not closed; expected ), found the end"},
      {"dot )", "column 5: ) closes nothing"},
      {"- dot", "column 2: nothing stands behind -"},
      {"\"dot", "column 1: the quotes are not closed; expected \", found the end"},
      {"\"dot\"x", "column 6: something follows the quotes; expected a blank, found x"},
      {"/dot", "column 1: the regular expression is not closed"},
      {"/a/b/", "column 4: something follows the regular expression; within it / is written \\/"},
      {"/(/", "column 1: not a regular expression: missing ): ("},
      {"äö op:/(/", "column 7: not a regular expression"},  // letters, not bytes
      {"/(((a{1000}){1000}){1000})/", "column 1: not a regular expression: "},
      {"op>dot", "column 3: op is no number; expected : or =, found >"},
      {"bytes>big",
       "column 7: bytes is a number; expected a number, with B, kB, MB, GB, TB, k, M, G, T, KiB, MiB, GiB, TiB"
       " behind it or nothing, found big"},
      {"flops>1MB", "column 7: flops is a number; expected a number, with k, M, G, T behind it or nothing, found 1MB"},
      {"flops>1e999", "column 7: flops is a number"},
      {"users:dot", "column 7: users is a number; user: finds what is used by an opcode or a name"},
      {"operands:dot", "column 10: operands is a number; operand: finds what has an opcode or a name as operand"},
      {"bytes>1|2", "column 9: a comparison takes one number; expected the end of the term, found |"},
      {"dtype:f46", "column 7: no element type is named f46; did you mean f16?"},
      {"dtype:F64", "column 7: no element type is named F64; did you mean f64"},
      {"shape:[x]", "column 7: not a shape pattern: [x]; e.g. f32[*,128]"},
      {"is:big", "column 4: is does not know big; expected one of entry, fused, loop, root, unused, found big"},
      {"under:/", "column 7: the regular expression is not closed"},
      {"under:()", "column 7: under has no scope"},
      {"dot|op:copy", "column 5: a field stands behind a word's |; expected blanks round | to choose between terms"},
  };
  const Module module = searched();
  for (const auto& [query, words] : rows)
    EXPECT_NE(found(module, query).find(words), std::string::npos) << query << "\n" << found(module, query);
  for (const auto& [query, words] : rows) {
    const auto wrong = Query::parse(query);
    ASSERT_FALSE(wrong) << query;
    EXPECT_EQ(wrong.error().kind, ErrorKind::Usage);
    EXPECT_GE(wrong.error().position.column, 1u);
  }
  EXPECT_FALSE(Query::parse(std::string(20'000, 'a')));
  EXPECT_FALSE(Query::parse(std::string(5'000, '(')));
  EXPECT_FALSE(Query::parse(std::string(5'000, '-') + "a"));
}
// Whatever is typed, letter by letter: an answer or an error at a column of the line, and completions within it.
TEST(Search, AnyTextIsAQueryOrAnError) {
  const Module module = searched();
  const char* pieces[] = {"op", ":",  "=",    ">",  "<",  "|",     " ",    "(",     ")",     "-",     "\"",
                          "/",  "\\", "[",    "]",  "*",  "?",     "f64",  "dtype", "shape", "bytes", "1",
                          "MB", "ä",  "attr", "in", "is", "under", "from", ".",     ",",     "{"};
  uint32_t state = 1;
  for (int k = 0; k < 3000; ++k) {
    std::string text;
    for (int n = 0; n < 12; ++n) {
      state = state * 1664525 + 1013904223;
      text += pieces[(state >> 16) % std::size(pieces)];
      if (const auto query = Query::parse(text))
        EXPECT_LE(search(module, *query).size(), module.instructionCount());
      else
        EXPECT_TRUE(query.error().position.column >= 1 && query.error().position.column <= text.size() + 1) << text;
      for (const QueryCompletion& each : completeQuery(module, text, text.size()))
        EXPECT_TRUE(each.from <= each.to && each.to <= text.size()) << text;
    }
  }
}
TEST(Search, OptionsOfGrepAreTerms) {
  const Module module = moduleOf(test::kMeanSquares);
  const auto count = [&](std::initializer_list<std::pair<QueryField, const char*>> terms) {
    Query query;
    for (const auto& [field, text] : terms) query.add(Query::of(field, text).value());
    return search(module, query).size();
  };
  EXPECT_EQ(count({}), module.instructionCount());
  EXPECT_EQ(count({{QueryField::Op, "parameter"}}), 4u);
  EXPECT_EQ(count({{QueryField::Op, "parameter"}, {QueryField::Name, "x"}}), 1u);
  EXPECT_EQ(count({{QueryField::OpName, "jit(f)"}}), 0u);
  EXPECT_FALSE(Query::of(QueryField::Shape, "f32[x]"));
}

// --- completion

std::vector<std::string> completed(const Module& module, std::string query) {
  const size_t cursor = query.find('^');
  query.erase(cursor, 1);
  std::vector<std::string> out;
  for (const QueryCompletion& each : completeQuery(module, query, cursor)) {
    EXPECT_LE(each.from, each.to);
    EXPECT_LE(each.to, query.size());
    EXPECT_FALSE(each.meaning.empty());
    out.push_back(query.substr(0, each.from) + each.text + query.substr(each.to));
  }
  return out;
}

TEST(Completion, FieldsThenWhatTheModuleHas) {
  const Module module = searched();
  EXPECT_EQ(completed(module, "^").size(), queryFields().size());
  EXPECT_EQ(completed(module, "dot dt^"), std::vector<std::string>{"dot dtype:"});
  EXPECT_EQ(completed(module, "(-by^) x"), std::vector<std::string>{"(-bytes>) x"});
  EXPECT_EQ(completed(module, "op:trans^"), std::vector<std::string>{"op:transpose"});
  EXPECT_EQ(completed(module, "op:copy|tra^p f32"), std::vector<std::string>{"op:copy|transpose f32"});
  EXPECT_EQ(completed(module, "dtype:^").front(), "dtype:f32");  // the most frequent
  EXPECT_EQ(completed(module, "is:f^"), std::vector<std::string>{"is:fused"});
  EXPECT_EQ(completed(module, "bytes>64ki^"), std::vector<std::string>{"bytes>64KiB"});
  EXPECT_EQ(completed(module, "in:fu^"), std::vector<std::string>{"in:fused_transpose"});
  EXPECT_EQ(completed(module, "file:a^").front(), "file:\"a b.py\"");
  EXPECT_EQ(completed(module, "under:h^"), (std::vector<std::string>{"under:h.1", "under:h.10"}));
  for (const char* none : {"\"op:t^", "op:/t^", "foo:^", "op:nothing^"})
    EXPECT_TRUE(completed(module, none).empty()) << none;
}
// What is completed can be parsed, and finds what it was counted from.
TEST(Completion, EachIsAQueryThatFindsSomething) {
  const Module module = searched();
  for (const QueryFieldRow& row : queryFields()) {
    if (takesNumber(row.kind)) continue;
    const std::string start = std::string(row.name) + ":";
    for (const std::string& query : completed(module, start + "^")) {
      const auto parsed = Query::parse(query);
      ASSERT_TRUE(parsed) << query << ": " << parsed.error().message;
      EXPECT_FALSE(search(module, *parsed).empty()) << query;
    }
  }
}

}  // namespace
}  // namespace tessera
