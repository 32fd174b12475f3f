// The colour of a number among others: purple below zero, green above; no colour of heat, which means time. Used by
// pictures of values on nodes, in tables and in the viewer.
#pragma once

#include <QColor>

#include "core/picture/picture.h"

namespace tessera {

// Of finite numbers. Both signs are on one scale; where there is one alone, from the least to the most.
QColor valueColor(double value, double least, double most, Theme theme);

}  // namespace tessera
