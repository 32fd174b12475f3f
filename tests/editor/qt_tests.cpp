// tessera_editor_tests NAME [options of Qt Test]: runs one of the tests that this program holds; without a NAME, lists
// them.
#include "tests/editor/qt_tests.h"

#include <QApplication>
#include <QTest>
#include <cstdio>
#include <map>
#include <string>

namespace tessera {
namespace {

std::map<std::string, QtTestMaker>& qtTests() {
  static std::map<std::string, QtTestMaker> tests;
  return tests;
}

}  // namespace

bool addQtTest(const char* name, QtTestMaker make) { return qtTests().emplace(name, std::move(make)).second; }

}  // namespace tessera

int main(int argc, char** argv) {
  const auto found = argc > 1 ? tessera::qtTests().find(argv[1]) : tessera::qtTests().end();
  if (found == tessera::qtTests().end()) {
    for (const auto& [name, make] : tessera::qtTests()) std::puts(name.c_str());
    return argc > 1 ? 64 : 0;
  }
  QApplication app(argc, argv);
  argv[1] = argv[0];
  const std::unique_ptr<QObject> test = found->second();
  return QTest::qExec(test.get(), argc - 1, argv + 1);
}
