// The way that an instruction has is the one whose attributes it has; another is one edit of all of them.
#include "editor/attributes/index_form.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QSignalBlocker>
#include <algorithm>

#include "core/formats/hlo_text.h"
#include "core/hlo/module.h"
#include "editor/text/plain_text.h"

namespace tessera {
namespace {

bool has(const Module& module, const Instruction& instruction, const IndexWay& way) {
  return std::ranges::all_of(way.attributes, [&](const NewAttribute& each) {
    const AttributeValue* value = instruction.attributes->find(each.name);
    return value && printAttributeValue(module, *value, kindOf(each.name)) == each.text;
  });
}

}  // namespace

IndexForm::IndexForm(QWidget* parent) : AttributePicture(parent), list_(new QComboBox(this)) {
  list_->setAccessibleName(tr("What is indexed"));
  list_->setFocusPolicy(Qt::StrongFocus);
  list_->setSizeAdjustPolicy(QComboBox::AdjustToMinimumContentsLengthWithIcon);
  auto* layout = new QHBoxLayout(this);
  layout->setContentsMargins(0, 0, 0, 0);
  layout->addWidget(new PlainLabel(tr("indexed"), this));
  layout->addWidget(list_, 1);
  connect(list_, &QComboBox::activated, this, &IndexForm::take);
}

void IndexForm::show(const Module& module, InstructionId id) {
  id_ = id;
  ways_ = indexWays(module, id);
  setVisible(!ways_.empty());
  const QSignalBlocker blocker(list_);
  list_->clear();
  for (const IndexWay& way : ways_) list_->addItem(QString::fromStdString(way.title));
  const auto now = std::ranges::find_if(ways_, [&](const IndexWay& way) { return has(module, module.at(id), way); });
  if (now == ways_.end()) list_->addItem(tr("as the dimension numbers say"));
  list_->setCurrentIndex(static_cast<int>(now - ways_.begin()));
}

void IndexForm::take(int row) {
  if (row < 0 || static_cast<size_t>(row) >= ways_.size()) return;
  Edit edit{"Index " + ways_[static_cast<size_t>(row)].title, {}};
  for (const NewAttribute& each : ways_[static_cast<size_t>(row)].attributes)
    edit.actions.push_back(SetAttribute{id_, each.name, each.text});
  emit edited(std::move(edit), false);
}

}  // namespace tessera
