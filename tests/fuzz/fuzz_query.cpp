// Queries: any text is one or is refused at a column of it; what matches and what does not are all; completions lie
// within the line. Links of files that are not there.
#include "core/formats/hlo_text.h"
#include "core/tools/link.h"
#include "core/tools/query/query_completion.h"
#include "core/tools/query/search.h"
#include "tests/fuzz/expect.h"

using namespace tessera;

// A fusion, a loop, tuples, scopes and source places.
static const Module& searchedModule() {
  static const Module module = *readHloText(R"(HloModule m

half {
  p = f32[8,128] parameter(0)
  ROOT t = f32[128,8] transpose(p), dimensions={1,0}
}

body {
  s = (s32[], f64[4]) parameter(0)
  i = s32[] get-tuple-element(s), index=0
  v = f64[4] get-tuple-element(s), index=1
  w = f64[4] tanh(v), metadata={op_name="jit(f)/jvp(h.1)/tanh" source_file="a/model.py" source_line=7}
  ROOT o = (s32[], f64[4]) tuple(i, w)
}

condition {
  s.1 = (s32[], f64[4]) parameter(0)
  ROOT more = pred[] constant(false)
}

ENTRY e {
  x = f32[8,128] parameter(0)
  y = (s32[], f64[4]) parameter(1)
  turned = f32[128,8] fusion(x), kind=kLoop, calls=half
  loop = (s32[], f64[4]) while(y), condition=condition, body=body
  ROOT r = (f32[128,8], (s32[], f64[4])) tuple(turned, loop)
}
)")
                                    .module;
  return module;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const Module& module = searchedModule();
  const auto query = Query::parse(text);
  if (!query) {
    const Diagnostic& error = query.error();
    expect(error.kind == ErrorKind::Usage && !error.message.empty(), "a refused query has a message", text);
    expect(error.position.column <= text.size() + 1, "at a column of it", text);
  } else {
    const size_t hits = search(module, *query).size();
    if (const auto other = Query::parse("-(" + text + ")"); other && !query->isEmpty())
      expect(hits + search(module, *other).size() == module.instructionCount(), "a query and its negation are all",
             text);
  }
  for (const QueryCompletion& each : completeQuery(module, text, size / 2))
    expect(each.from <= each.to && each.to <= text.size() && !each.text.empty(), "completions lie within", text);
  if (text.find('\0') == std::string::npos) {
    const LinkParts parts = splitLink(text);
    expect(parts.name.empty() ? text.starts_with(parts.file) : parts.file + "#" + parts.name == text,
           "a link is its parts", text);
  }
  return 0;
}
