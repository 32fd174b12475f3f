// What runtime_races.cpp runs of program_races.cpp and matrix_races.cpp: how many results were wrong.
#pragma once

#include <cstdint>

int64_t wrongPrograms();
int64_t wrongCancellations();
int64_t wrongMatrices();
