// Qt tests that share a program, `tessera_editor_tests NAME [options of Qt Test]`: compiled by sixteens they take half
// the time that a program each would. A test file is a namespace of its name, ends with TESSERA_QT_TEST, and includes
// its moc file behind it.
#pragma once

#include <QObject>
#include <functional>
#include <memory>

namespace tessera {

using QtTestMaker = std::function<std::unique_ptr<QObject>()>;

// Called before main; returns true, for a constant to be initialised by it.
bool addQtTest(const char* name, QtTestMaker make);

}  // namespace tessera

#define TESSERA_QT_TEST(name, Class) \
  [[maybe_unused]] static const bool name##IsAdded = addQtTest(#name, [] { return std::make_unique<Class>(); });
