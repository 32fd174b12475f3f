// The two functions of OpenMP's run time (libgomp, which oneDNN brings) that the backend calls. Not from <omp.h>: that
// belongs to one compiler, and Tessera is built with g++ and, for fuzzing, with clang.
#pragma once

extern "C" {
void omp_set_num_threads(int count) noexcept;
int omp_get_max_threads() noexcept;
}
