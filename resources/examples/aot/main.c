/* A program compiled ahead of time, called from C: classifies two points. README.md says how it is built. */
#include <stdio.h>
#include <stdlib.h>

#include "classify.h"

int main(void) {
  const float points[2][3] = {{1, 2, 3}, {-1, 0.5f, 0}};
  const float weights[3][2] = {{0.5f, -0.5f}, {0.25f, 0}, {0, 0.125f}};
  const float bias[2] = {0, 0.125f};
  float shares[2][2];
  const void* arguments[CLASSIFY_ARGUMENTS] = {points, weights, bias};
  void* results[CLASSIFY_RESULTS] = {shares};
  char error[256];

  /* The workspace is aligned to 64 bytes; aligned_alloc wants a multiple of that. */
  size_t bytes = (classify_workspace_bytes() + 63) / 64 * 64;
  void* workspace = bytes > 0 ? aligned_alloc(64, bytes) : NULL;
  if (bytes > 0 && !workspace) return 1;

  int answer = classify_run(arguments, results, workspace, error, sizeof error);
  free(workspace);
  if (answer != CLASSIFY_FINE) {
    fprintf(stderr, "%s\n", error);
    return answer;
  }
  for (int i = 0; i < 2; ++i) printf("%.4f %.4f\n", shares[i][0], shares[i][1]);
  return 0;
}
