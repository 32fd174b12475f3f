/* Targets of custom calls for `tessera run --custom-call-library`: three in XLA's plain words, two in Tessera's.
   Build:  cc -shared -fPIC -I core/custom_calls -o targets.so resources/examples/custom_call/targets.c
   Run:    tessera run resources/examples/custom_call/targets.hlo --custom-call-library=targets.so --out=out.npz */
#include <string.h>

#include "tessera_custom_call.h"

/* API_VERSION_ORIGINAL: no shapes come along, so the program has to agree with us on f32[4]. */
void example_double(void* out, const void** in) {
  const float* from = in[0];
  float* to = out;
  for (int i = 0; i < 4; ++i) to[i] = 2 * from[i];
}

/* The example of the operation semantics: x is f32[2], y f32[2,3], z f32[3,3]. */
void myfunc(void* out, const void** in) {
  const float* x = in[0];
  const float* y = in[1];
  float* z = out;
  z[0] = x[1] + y[3];
}

/* API_VERSION_STATUS_RETURNING: may fail. These two names are XLA's; tessera offers the function. */
typedef struct XlaCustomCallStatus_ XlaCustomCallStatus;
void XlaCustomCallStatusSetFailure(XlaCustomCallStatus* status, const char* message, size_t length);

void example_positive(void* out, const void** in, XlaCustomCallStatus* status) {
  const char message[] = "a number is not positive";
  memcpy(out, in[0], 4 * sizeof(float));
  for (int i = 0; i < 4; ++i)
    if (!(((const float*)in[0])[i] > 0)) XlaCustomCallStatusSetFailure(status, message, sizeof message - 1);
}

/* Any shape: the sum of all elements, and the largest one. */
static const char* sum_and_largest(const TesseraCall* call) {
  if (call->operand_count != 1 || call->result_count != 2) return "takes one array and gives two scalars";
  const TesseraArray* x = &call->operands[0];
  if (strcmp(x->element_type, "f32") != 0) return "takes f32";
  const float* from = x->data;
  float sum = 0, largest = 0;
  for (size_t i = 0; i < x->bytes / sizeof(float); ++i) {
    sum += from[i];
    if (i == 0 || from[i] > largest) largest = from[i];
  }
  *(float*)call->results[0].data = sum;
  *(float*)call->results[1].data = largest;
  return NULL;
}

/* A failure with a message of the caller's choice. */
static const char* always_fails(const TesseraCall* call) {
  return call->backend_config[0] ? call->backend_config : "as it always does";
}

const TesseraTarget* tessera_custom_call_targets(size_t* count) {
  static const TesseraTarget targets[] = {{"example.sum_and_largest", sum_and_largest},
                                          {"example.always_fails", always_fails}};
  *count = sizeof targets / sizeof targets[0];
  return targets;
}
