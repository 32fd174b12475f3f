/* What a shared library offers to `tessera run --custom-call-library=LIB.so`: targets of custom-call that see shapes.
   Plain C, no dependency; SPDX-License-Identifier: Apache-2.0.

   The library exports the function
       const TesseraTarget* tessera_custom_call_targets(size_t* count);
   which gives a table that stays valid. A target is looked up by the custom_call_target of the instruction.

   All arrays are dense, in the layout that the instruction writes (row-major where it writes none); elements of less
   than a byte take one byte each; tuples are flattened; tokens are left out. Operands are only read, results are to be
   filled. A function may be called from several threads at once. */
#ifndef TESSERA_CUSTOM_CALL_H
#define TESSERA_CUSTOM_CALL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct {
  const char* element_type; /* as in HLO text: "f32", "s64", "pred", "c64" */
  int32_t rank;
  const int64_t* dimensions;     /* rank sizes */
  const int64_t* minor_to_major; /* rank dimension numbers, the fastest first */
  void* data;
  size_t bytes;
} TesseraArray;

typedef struct {
  size_t struct_size; /* sizeof(TesseraCall) of the caller: later versions append members */
  const char* target;
  const char* backend_config; /* the instruction's, "" when it has none */
  size_t operand_count;
  const TesseraArray* operands;
  size_t result_count;
  const TesseraArray* results;
} TesseraCall;

/* NULL: done. Else a message that says what failed; it is copied before the next call on this thread. */
typedef const char* (*TesseraFunction)(const TesseraCall* call);

typedef struct {
  const char* name;
  TesseraFunction function;
} TesseraTarget;

const TesseraTarget* tessera_custom_call_targets(size_t* count);

#ifdef __cplusplus
}
#endif
#endif
