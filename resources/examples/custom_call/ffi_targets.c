/* Targets of API_VERSION_TYPED_FFI for `tessera run --custom-call-library`, in plain C. Handlers that are written in
   C++ with XLA's own xla/ffi/api/ffi.h (XLA_FFI_DEFINE_HANDLER_SYMBOL) are called in the same way. Build:  cc -shared
   -fPIC -I core/custom_calls -o ffi_targets.so resources/examples/custom_call/ffi_targets.c Run:    tessera run
   resources/examples/custom_call/ffi_targets.hlo --custom-call-library=ffi_targets.so --out=out.npz */
#include <string.h>

#include "xla_ffi_abi.h"

enum { PRED = 1, S32 = 4, S64 = 5, F32 = 11 }; /* numbers of xla_data.proto */

/* Before its first call a handler is asked which version it was compiled for. */
static int answers_metadata(FfiCallFrame* frame) {
  if (!frame->extension_start || frame->extension_start->type != 1) return 0;
  FfiMetadata* metadata = ((FfiMetadataExtension*)frame->extension_start)->metadata;
  metadata->version.major = 0;
  metadata->version.minor = 1;
  return 1;
}

static FfiError* fail(FfiCallFrame* frame, const char* message) {
  FfiErrorCreate args = {sizeof args, NULL, message, FFI_INVALID_ARGUMENT};
  return frame->api->createError(&args);
}

static void* attribute(FfiCallFrame* frame, const char* name, int kind) {
  for (int64_t i = 0; i < frame->attributes.size; ++i) {
    const FfiSpan* given = frame->attributes.names[i];
    if (given->size == strlen(name) && memcmp(given->data, name, given->size) == 0 &&
        frame->attributes.types[i] == kind)
      return frame->attributes.values[i];
  }
  return NULL;
}

static int64_t count_of(const FfiBuffer* buffer) {
  int64_t count = 1;
  for (int64_t d = 0; d < buffer->rank; ++d) count *= buffer->dimensions[d];
  return count;
}

/* y = factor · x, of any shape. */
FfiError* example_scale(FfiCallFrame* frame) {
  if (answers_metadata(frame)) return NULL;
  const FfiScalar* factor = attribute(frame, "factor", FFI_ATTRIBUTE_SCALAR);
  if (!factor || factor->type != F32) return fail(frame, "factor is a number of type f32");
  if (frame->arguments.size != 1 || frame->results.size != 1) return fail(frame, "takes one array and gives one");
  const FfiBuffer *x = frame->arguments.values[0], *y = frame->results.values[0];
  if (x->type != F32 || y->type != F32 || count_of(x) != count_of(y))
    return fail(frame, "takes and gives f32 of one shape");
  for (int64_t i = 0; i < count_of(x); ++i)
    ((float*)y->data)[i] = *(const float*)factor->value * ((const float*)x->data)[i];
  return NULL;
}

/* Says what attributes came: how many, the sum of the array "axes", the length of the string "mode", and whether "on".
 */
FfiError* example_describe(FfiCallFrame* frame) {
  if (answers_metadata(frame)) return NULL;
  int64_t* out = ((FfiBuffer*)frame->results.values[0])->data;
  const FfiAttributes* more = attribute(frame, "more", FFI_ATTRIBUTE_DICTIONARY);
  const FfiArray* axes = attribute(frame, "axes", FFI_ATTRIBUTE_ARRAY);
  const FfiSpan* mode = attribute(frame, "mode", FFI_ATTRIBUTE_STRING);
  const FfiScalar* on = attribute(frame, "on", FFI_ATTRIBUTE_SCALAR);
  if (!more || !axes || !mode || !on || axes->type != S64 || on->type != PRED)
    return fail(frame, "an attribute is missing");
  out[0] = frame->attributes.size + more->size;
  out[1] = 0;
  for (size_t i = 0; i < axes->size; ++i) out[1] += ((const int64_t*)axes->data)[i];
  out[2] = (int64_t)mode->size;
  out[3] = *(const unsigned char*)on->value;
  return NULL;
}
