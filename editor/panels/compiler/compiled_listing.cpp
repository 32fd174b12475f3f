// See compiled_panel.h: the texts of an instruction, made by the worker.
#include "backends/derived.h"
#include "core/formats/hlo_text.h"
#include "core/tools/explain.h"
#include "editor/panels/compiler/compiled_program.h"

namespace tessera {

namespace {

constexpr qsizetype kLongest = 2000000;  // characters of a page

QString htmlOf(const std::string& text) { return QString::fromStdString(text).toHtmlEscaped(); }

// 1.2 k, 3.4 M.
QString amount(double value, const QString& unit) {
  const char* prefixes[] = {"", "k", "M", "G", "T", "P"};
  int p = 0;
  for (; value >= 999.5 && p < 5; ++p) value /= 1000;
  return QStringLiteral("%1 %2%3").arg(value, 0, 'g', 3).arg(QLatin1String(prefixes[p]), unit);
}

QString duration(double ns) {
  return ns < 1e3   ? QStringLiteral("%1 ns").arg(ns, 0, 'g', 3)
         : ns < 1e6 ? QStringLiteral("%1 µs").arg(ns / 1e3, 0, 'g', 3)
                    : QStringLiteral("%1 ms").arg(ns / 1e6, 0, 'g', 4);
}

QString keyedRow(const QString& key, const QString& value) {
  return QStringLiteral("<tr><td style='padding-right:12px'>%1</td><td>%2</td></tr>").arg(key, value);
}

QString timeRows(const StepListing& step, const Profile* profile, double attainableNs) {
  QString out;
  if (profile && profile->runs > 0)
    for (const StepProfile& each : profile->steps)
      if (each.name == step.name && each.count > 0) {
        const double ns = static_cast<double>(each.totalNs) / static_cast<double>(profile->runs);
        out += keyedRow(QObject::tr("measured"),
                        QObject::tr("%1 a run, done %2")
                                .arg(duration(ns), each.count == profile->runs
                                                       ? QObject::tr("once")
                                                       : QObject::tr("%L1 times").arg(each.count / profile->runs)) +
                            (attainableNs > 0 && ns > 0
                                 ? QObject::tr(", %1 % of what is attainable").arg(100 * attainableNs / ns, 0, 'f', 0)
                                 : QString()));
        break;
      }
  if (attainableNs > 0)
    out +=
        keyedRow(QObject::tr("attainable"), QObject::tr("%1 on this machine, from memory").arg(duration(attainableNs)));
  return out;
}

QString stepPage(const StepListing& step, const Profile* profile, double attainableNs, const QString& more) {
  QString rows =
      keyedRow(QObject::tr("estimated"), QObject::tr("%1, %2").arg(amount(step.flops, QObject::tr("flops")),
                                                                   amount(step.bytes, QStringLiteral("B")))) +
      timeRows(step, profile, attainableNs) + more;
  for (const BufferLocation& buffer : step.buffers)
    rows += keyedRow(htmlOf(buffer.role), QObject::tr("%1 at %2, %3")
                                              .arg(htmlOf(buffer.place))
                                              .arg(buffer.offset)
                                              .arg(amount(static_cast<double>(buffer.bytes), QStringLiteral("B"))));
  return QStringLiteral("<p style='margin:8px 0 2px 0'><b>%1</b></p><table>%2</table>").arg(htmlOf(step.what), rows);
}

// By the toolkit's own tools, where they are installed.
Result<MachineCode> machineCodeOf(Executable& executable, const Module& module) {
  TESSERA_ASSIGN_OR_RETURN(const std::string ptx, executable.ptx(module.name));
  const size_t at = ptx.find("\n.target ");
  if (at == std::string::npos) return fail(ErrorKind::Unsupported, "there are no kernels");
  const size_t begin = at + 9;
  return tessera::machineCodeOf(ptx, ptx.substr(begin, ptx.find_first_of(", \n", begin) - begin));
}

std::string loopsOf(const Module& optimized, InstructionId id) {
  const auto told = explain(optimized, id);
  if (!told) return told.error().message + "\n";
  if (told->loopNest.empty()) return "no loop nest: " + told->without + "\n";
  std::string out;
  for (size_t i = 0; i < told->buffers.size(); ++i)
    out += "operand" + std::to_string(i) + " is " + told->buffers[i] + "\n";
  return out + told->loopNest;
}

QString figuresRow(const Result<MachineCode>& code, const std::string& kernel, unsigned blockThreads) {
  if (!code) return {};
  for (const KernelFigures& each : code->kernels)
    if (each.name == kernel)
      return keyedRow(QObject::tr("on %1").arg(QString::fromStdString(code->architecture)),
                      QObject::tr("%1 registers, %2 spilled, %3 of shared memory, %L4 instructions, occupancy %5 %")
                          .arg(each.registers)
                          .arg(amount(static_cast<double>(each.spilledBytes), QStringLiteral("B")),
                               amount(static_cast<double>(each.sharedBytes), QStringLiteral("B")))
                          .arg(each.instructions)
                          .arg(100 * each.occupancy(blockThreads), 0, 'f', 0));
  return {};
}

// What there is of a kernel's machine code, or why there is none.
std::string machineCodeText(const Result<MachineCode>& code, const std::string& kernel) {
  if (!code) return "none: " + code.error().message + "\n\n";
  const std::string sass = sassOf(*code, kernel);
  return sass.empty() ? "none: " + code->without + "\n\n" : sass + "\n";
}

QString kept(const std::string& text) {
  QString out = QString::fromStdString(text);
  if (out.size() > kLongest)
    out = out.left(kLongest) + QObject::tr("\n… cut here: %L1 characters in all").arg(out.size());
  return out;
}

}  // namespace

CompiledPanel::Listing CompiledPanel::listingOf(const Program& program, const Profile* profile, InstructionId id,
                                                const Roofline* roofline) {
  Listing out;
  const Module& optimized = program.executable->optimized();
  std::string pages[kPages];
  const std::lock_guard lock(program.mutex);
  if (program.isForCard && !program.machineCode)
    program.machineCode = machineCodeOf(*program.executable, program.source);
  for (InstructionId each : derivedOf(optimized, id)) {
    const std::string text = printInstruction(optimized, each);
    QStringList sources;
    for (const std::string& name : sourcesOf(program.source, optimized, each)) sources << htmlOf(name);
    out.steps += QStringLiteral("<p style='margin:10px 0 0 0'><code>%1</code></p><p style='margin:0'>%2</p>")
                     .arg(htmlOf(text), QObject::tr("computes %1").arg(sources.join(QStringLiteral(", "))));
    out.steps += QStringLiteral("<p style='margin:0'>%1</p>").arg(htmlOf(insertionText(optimized, each)));
    const std::string head = "; " + std::string(optimized.at(each).name) + "\n";
    pages[kLoops] += head + loopsOf(optimized, each) + "\n";
    const auto steps = program.executable->list(each, true);
    if (!steps) {
      out.steps += QStringLiteral("<p>%1</p>").arg(htmlOf(steps.error().message));
      continue;
    }
    if (steps->empty()) out.steps += QStringLiteral("<p>%1</p>").arg(QObject::tr("no step of its own"));
    const Shape& shape = optimized.shapeOf(each);
    const std::string type(nameOf(shape.isArray() ? shape.type : ElementType::F32));
    for (const StepListing& step : *steps) {
      const QString figures =
          program.machineCode ? figuresRow(*program.machineCode, step.kernel, step.blockThreads) : QString();
      out.steps +=
          stepPage(step, profile, roofline ? roofline->attainableNs(type, step.flops, step.bytes) : 0, figures);
      const std::string none = head + "none: code of the run time or of a library\n\n";
      pages[kIrBefore] += step.irBefore.empty() ? none : head + step.irBefore + "\n";
      pages[kIrAfter] += step.irAfter.empty() ? none : head + step.irAfter + "\n";
      pages[kAssembly] += step.assembly.empty() ? none : head + step.assembly + "\n";
      if (program.machineCode)
        pages[kMachineCode] += head + (step.kernel.empty() ? "none: it runs on the host\n\n"
                                                           : machineCodeText(*program.machineCode, step.kernel));
    }
  }
  if (out.steps.isEmpty())
    out.steps = QObject::tr("Nothing of it is left in the compiled program: it was folded, merged or not needed.");
  for (const std::string& page : pages) out.pages << kept(page);
  return out;
}

}  // namespace tessera
