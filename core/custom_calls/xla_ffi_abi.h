/* The binary interface of XLA's typed foreign functions (API_VERSION_TYPED_FFI), version 0.x: what a handler gets and
   may ask for. Layouts and numbers are those of XLA's xla/ffi/api/c_api.h, so that handlers compiled against XLA's own
   headers run; the names here are ours. A member is only ever appended there, and each struct says its size. Plain C;
   before: nothing; after: ffi_call.cpp, and handlers in C that do not have XLA's headers. */
#ifndef TESSERA_XLA_FFI_ABI_H
#define TESSERA_XLA_FFI_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct FfiExtension {
  size_t struct_size;
  int type; /* 1: FfiMetadataExtension */
  struct FfiExtension* next;
} FfiExtension;

/* How every struct begins. */
#define FFI_HEAD      \
  size_t struct_size; \
  FfiExtension* extension_start

typedef struct FfiVersion {
  FFI_HEAD;
  int major, minor;
} FfiVersion;
typedef struct FfiError FfiError;     /* the caller's own */
typedef struct FfiFuture FfiFuture;   /* the caller's own */
typedef struct FfiContext FfiContext; /* the caller's own */
typedef struct FfiSpan {
  const char* data;
  size_t size;
} FfiSpan;
typedef struct FfiTypeId {
  int64_t id;
} FfiTypeId;

/* Element types have the numbers of xla_data.proto: 4 is s32, 11 is f32. */
typedef struct FfiBuffer {
  FFI_HEAD;
  int type;
  void* data;
  int64_t rank;
  int64_t* dimensions;
} FfiBuffer;
typedef struct FfiScalar {
  int type;
  void* value;
} FfiScalar;
typedef struct FfiArray {
  int type;
  size_t size;
  void* data;
} FfiArray;

enum { FFI_BUFFER = 1 };
enum { FFI_ATTRIBUTE_ARRAY = 1, FFI_ATTRIBUTE_DICTIONARY = 2, FFI_ATTRIBUTE_SCALAR = 3, FFI_ATTRIBUTE_STRING = 4 };
enum { FFI_INSTANTIATE = 0, FFI_PREPARE = 1, FFI_INITIALIZE = 2, FFI_EXECUTE = 3 };
enum { FFI_INVALID_ARGUMENT = 3, FFI_NOT_FOUND = 5, FFI_UNIMPLEMENTED = 12, FFI_INTERNAL = 13 };

typedef struct FfiBuffers {
  FFI_HEAD;
  int64_t size;
  int* types;
  void** values;
} FfiBuffers; /* values: FfiBuffer */
/* Sorted by name; a value is an FfiArray, FfiAttributes, FfiScalar or FfiSpan. */
typedef struct FfiAttributes {
  FFI_HEAD;
  int64_t size;
  int* types;
  FfiSpan** names;
  void** values;
} FfiAttributes;

typedef struct FfiApi FfiApi;
typedef struct FfiCallFrame {
  FFI_HEAD;
  const FfiApi* api;
  FfiContext* context;
  int stage;
  FfiBuffers arguments, results;
  FfiAttributes attributes;
  FfiFuture* future; /* set by a handler that is not done when it returns */
} FfiCallFrame;
typedef FfiError* FfiHandler(FfiCallFrame* frame);

typedef struct FfiMetadata {
  size_t struct_size;
  FfiVersion version;
  uint32_t traits;
  FfiTypeId state;
} FfiMetadata;
typedef struct FfiMetadataExtension {
  FfiExtension base;
  FfiMetadata* metadata;
} FfiMetadataExtension;

/* --- what a handler may ask for */
typedef struct FfiErrorCreate {
  FFI_HEAD;
  const char* message;
  int code;
} FfiErrorCreate;
typedef struct FfiErrorMessage {
  FFI_HEAD;
  FfiError* error;
  const char* message;
} FfiErrorMessage;
typedef struct FfiErrorDestroy {
  FFI_HEAD;
  FfiError* error;
} FfiErrorDestroy;
typedef struct FfiBundle {
  FfiHandler *instantiate, *prepare, *initialize, *execute;
} FfiBundle;
typedef struct FfiRegister {
  FFI_HEAD;
  FfiSpan name, platform;
  FfiBundle bundle;
  uint32_t traits;
} FfiRegister;
typedef struct FfiTypeInfo {
  FFI_HEAD;
  void (*deleter)(void*);
} FfiTypeInfo;
typedef struct FfiTypeRegister {
  FFI_HEAD;
  FfiSpan name;
  FfiTypeId* id;
  const FfiTypeInfo* info;
} FfiTypeRegister;
typedef struct FfiContextGet {
  FFI_HEAD;
  FfiContext* context;
  FfiTypeId* id;
  void* data;
} FfiContextGet;
typedef struct FfiState {
  FFI_HEAD;
  FfiContext* context;
  int stage;
  FfiTypeId* id;
  void* state;
} FfiState;
typedef struct FfiStream {
  FFI_HEAD;
  FfiContext* context;
  void* stream;
} FfiStream;
typedef struct FfiAllocate {
  FFI_HEAD;
  FfiContext* context;
  size_t size, alignment;
  void* data;
} FfiAllocate;
typedef struct FfiFree {
  FFI_HEAD;
  FfiContext* context;
  size_t size;
  void* data;
} FfiFree;
typedef struct FfiSchedule {
  FFI_HEAD;
  FfiContext* context;
  void (*task)(void*);
  void* data;
} FfiSchedule;
typedef struct FfiThreads {
  FFI_HEAD;
  FfiContext* context;
  int64_t* count;
} FfiThreads;
typedef struct FfiFutureCreate {
  FFI_HEAD;
  FfiFuture* future;
} FfiFutureCreate;
typedef struct FfiFutureDone {
  FFI_HEAD;
  FfiFuture* future;
} FfiFutureDone;
typedef struct FfiFutureFail {
  FFI_HEAD;
  FfiFuture* future;
  FfiError* error;
} FfiFutureFail;
typedef struct FfiRunId {
  FFI_HEAD;
  FfiContext* context;
  int64_t id;
} FfiRunId;
typedef struct FfiDevice {
  FFI_HEAD;
  FfiContext* context;
  int32_t ordinal;
} FfiDevice;

struct FfiApi {
  FFI_HEAD;
  FfiVersion version;
  const void* internal;
  FfiError* (*createError)(FfiErrorCreate*);
  void (*errorMessage)(FfiErrorMessage*);
  void (*destroyError)(FfiErrorDestroy*);
  FfiError* (*registerHandler)(FfiRegister*);
  FfiError* (*stream)(FfiStream*);
  FfiError* (*registerType)(FfiTypeRegister*);
  FfiError* (*contextGet)(FfiContextGet*);
  FfiError* (*setState)(FfiState*);
  FfiError* (*getState)(FfiState*);
  FfiError* (*allocate)(FfiAllocate*);
  FfiError* (*free)(FfiFree*);
  FfiError* (*schedule)(FfiSchedule*);
  FfiError* (*threads)(FfiThreads*);
  FfiError* (*createFuture)(FfiFutureCreate*);
  FfiError* (*futureDone)(FfiFutureDone*);
  FfiError* (*futureFail)(FfiFutureFail*);
  FfiError* (*runId)(FfiRunId*);
  FfiError* (*device)(FfiDevice*);
};

#ifdef __cplusplus
}
#endif
#endif
