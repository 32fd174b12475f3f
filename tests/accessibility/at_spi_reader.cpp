// at_spi_reader: reads a running tessera-studio as a screen reader does, over AT-SPI, and says what is missing. The
// studio shows tests/accessibility/graph.hlo. Exit code 0: nothing is.
#include <QCoreApplication>
#include <QDBusArgument>
#include <QDBusConnection>
#include <QDBusInterface>
#include <QDBusMessage>
#include <QDBusMetaType>
#include <QDBusObjectPath>
#include <QDBusVariant>
#include <QElapsedTimer>
#include <QThread>
#include <cstdio>
#include <functional>
#include <optional>
#include <vector>

namespace {

constexpr auto kAccessible = "org.a11y.atspi.Accessible";
constexpr int kTimeoutMs = 20000, kCallMs = 5000;
constexpr int kSelectedState = 23;  // ATSPI_STATE_SELECTED

struct Accessible {
  QString service, path;
};

class AtSpiBus {
 public:
  explicit AtSpiBus(const QString& address) : bus_(QDBusConnection::connectToBus(address, QStringLiteral("reader"))) {}
  bool isConnected() const { return bus_.isConnected(); }

  QDBusMessage call(const Accessible& of, const char* interface, const char* method,
                    const QVariantList& arguments = {}) {
    QDBusMessage message =
        QDBusMessage::createMethodCall(of.service, of.path, QLatin1String(interface), QLatin1String(method));
    message.setArguments(arguments);
    return bus_.call(message, QDBus::Block, kCallMs);
  }
  QString text(const Accessible& of, const char* property) {
    const QDBusMessage answer =
        call(of, "org.freedesktop.DBus.Properties", "Get", {QLatin1String(kAccessible), QLatin1String(property)});
    return answer.arguments().isEmpty() ? QString() : answer.arguments()[0].value<QDBusVariant>().variant().toString();
  }
  QString role(const Accessible& of) {
    const QDBusMessage answer = call(of, kAccessible, "GetRoleName");
    return answer.arguments().isEmpty() ? QString() : answer.arguments()[0].toString();
  }
  std::vector<Accessible> children(const Accessible& of) {
    std::vector<Accessible> out;
    const QDBusMessage answer = call(of, kAccessible, "GetChildren");
    if (answer.arguments().isEmpty()) return out;
    const auto list = answer.arguments()[0].value<QDBusArgument>();
    list.beginArray();
    while (!list.atEnd()) {
      Accessible child;
      QDBusObjectPath path;
      list.beginStructure();
      list >> child.service >> path;
      list.endStructure();
      child.path = path.path();
      out.push_back(child);
    }
    list.endArray();
    return out;
  }
  bool isSelected(const Accessible& of) {
    const QDBusMessage answer = call(of, kAccessible, "GetState");
    if (answer.arguments().isEmpty()) return false;
    const auto list = answer.arguments()[0].value<QDBusArgument>();
    QList<uint> words;
    list >> words;
    return !words.isEmpty() && (words[0] >> kSelectedState & 1U);
  }
  // The first below it, in depth, that is wanted.
  std::optional<Accessible> find(const Accessible& from, const std::function<bool(const Accessible&)>& wanted,
                                 int depth = 24) {
    for (const Accessible& each : children(from)) {
      if (wanted(each)) return each;
      if (depth == 0) continue;
      if (const auto found = find(each, wanted, depth - 1)) return found;
    }
    return std::nullopt;
  }
  std::optional<Accessible> named(const Accessible& from, const QString& name, int depth = 24) {
    return find(
        from, [&](const Accessible& each) { return text(each, "Name") == name; }, depth);
  }

 private:
  QDBusConnection bus_;
};

int failures = 0;
void check(bool holds, const char* what, const QString& found = {}) {
  std::printf("%s %s%s%s\n", holds ? "ok  " : "FAIL", what, found.isEmpty() ? "" : ": ", qPrintable(found));
  failures += !holds;
}

template <class Find>
auto waitFor(Find&& find) {
  QElapsedTimer time;
  time.start();
  auto out = find();
  while (!out && time.elapsed() < kTimeoutMs) {
    QThread::msleep(100);
    out = find();
  }
  return out;
}

std::optional<Accessible> studio(AtSpiBus& bus) {
  const Accessible registry{QStringLiteral("org.a11y.atspi.Registry"),
                            QStringLiteral("/org/a11y/atspi/accessible/root")};
  return bus.named(registry, QStringLiteral("Tessera Studio"), 0);
}

void readNode(AtSpiBus& bus, const Accessible& canvas, const Accessible& node) {
  const QString words = bus.text(node, "Description");
  check(!bus.role(node).isEmpty(), "a node has a role", bus.role(node));
  check(words.contains(QLatin1String("f32 4")), "a node tells its shape", words);
  check(words.contains(QLatin1String("from a, b")), "a node tells what feeds it");
  check(words.contains(QLatin1String("to ")), "a node tells whom it feeds");
  const std::vector<Accessible> ports = bus.children(node);
  check(ports.size() == 3, "a node has a port for each input and its output", QString::number(ports.size()));
  if (!ports.empty()) {
    check(bus.text(ports[0], "Name").startsWith(QLatin1String("lhs")), "a port has its name",
          bus.text(ports[0], "Name"));
    check(bus.text(ports[0], "Description").contains(QLatin1String("f32")), "a port tells its type");
  }
  const auto wire = bus.find(
      canvas, [&](const Accessible& each) { return bus.role(each) == QLatin1String("link"); }, 0);
  check(wire.has_value(), "wires are there", wire ? bus.text(*wire, "Name") : QString());
  bus.call(node, "org.a11y.atspi.Action", "DoAction", {0});
  check(waitFor([&] { return bus.isSelected(node); }), "a node is selected by its action");
}

// The layout panel is opened as a reader opens it: by its entry in the menu.
void readCells(AtSpiBus& bus, const Accessible& app) {
  const auto entry = bus.find(app, [&](const Accessible& each) {
    return bus.role(each).contains(QLatin1String("menu item")) && bus.text(each, "Name") == QLatin1String("Layout");
  });
  check(entry.has_value(), "panels are entries of a menu");
  if (entry) bus.call(*entry, "org.a11y.atspi.Action", "DoAction", {0});
  const auto cell = waitFor([&] {
    return bus.find(
        app, [&](const Accessible& each) { return bus.text(each, "Name").startsWith(QLatin1String("element ")); });
  });
  check(cell.has_value(), "cells of the layout are there", cell ? bus.text(*cell, "Name") : QString());
  if (cell) check(bus.text(*cell, "Description").contains(QLatin1String("in memory")), "a cell tells its place");
}

}  // namespace

int main(int argc, char** argv) {
  const QCoreApplication app(argc, argv);
  qDBusRegisterMetaType<QList<uint>>();
  QDBusInterface launcher(QStringLiteral("org.a11y.Bus"), QStringLiteral("/org/a11y/bus"),
                          QStringLiteral("org.a11y.Bus"));
  const QDBusMessage address = launcher.call(QStringLiteral("GetAddress"));
  AtSpiBus bus(address.arguments().value(0).toString());
  check(bus.isConnected(), "there is a bus of screen readers", address.errorMessage());
  if (failures) return 1;
  const auto program = waitFor([&] { return studio(bus); });
  check(program.has_value(), "the studio is on it");
  if (!program) return 1;
  // Of several, as that of a panel that nobody opened, the one that shows something.
  const auto canvas = waitFor([&] {
    return bus.find(*program, [&](const Accessible& each) {
      return bus.text(each, "Name") == QLatin1String("Graph") && !bus.children(each).empty();
    });
  });
  check(canvas.has_value(), "the canvas is there");
  if (!canvas) return 1;
  check(bus.role(*canvas) == QLatin1String("canvas"), "its role is that of a canvas", bus.role(*canvas));
  const auto node = waitFor([&] { return bus.named(*canvas, QStringLiteral("add"), 0); });
  check(node.has_value(), "its nodes are there by name");
  if (node) readNode(bus, *canvas, *node);
  readCells(bus, *program);
  check(bus.named(*program, QStringLiteral("Run")).has_value(), "the tool bar's buttons have names");
  return failures ? 1 : 0;
}
