// Padding: through HLO text and protobuf and back, what an export loses, and values as bytes in memory.
#include <gtest/gtest.h>

#include <cstring>
#include <limits>

#include "core/edit/edit.h"
#include "core/formats/hlo_text.h"
#include "core/formats/padding.h"
#include "core/formats/protobuf.h"
#include "core/formats/short_text.h"
#include "core/hlo/memory_map.h"
#include "core/hlo/physical.h"

namespace tessera {
namespace {

constexpr const char* kPaddedText =
    R"(HloModule m, entry_computation_layout={(f32[2,3]{1,0})->(f32[2,3]{1,0}, s8[4]{0})}, )"
    R"(frontend_attributes={tessera.entry_padding="0: 3,5=0; result: {1}8"}

ENTRY %main (a: f32[2,3], b: s8[4]) -> (f32[2,3], s8[4]) {
  %a = f32[2,3]{1,0} parameter(0), frontend_attributes={other="x, y",tessera.padding="3,5=0"}
  %c = s8[4]{0} constant({1, 2, 3, 4}), frontend_attributes={tessera.padding="=-inf"}
  ROOT %t = (f32[2,3]{1,0}, s8[4]{0}) tuple(%a, %c), frontend_attributes={tessera.padding="{0}2,4 {1}8=1"}
}
)";

Module paddedModule(const std::string& text) {
  ReadResult out = readHloText(text);
  EXPECT_TRUE(out.module) << (out.diagnostics.empty() ? "" : out.diagnostics.items()[0].toString());
  EXPECT_FALSE(out.diagnostics.hasErrors());
  return std::move(*out.module);
}

const Layout& layoutOf(const Module& module, const char* name) {
  return *module.shapeOf(*module.findInstruction(name)).layout;
}

TEST(Padding, TextSaysIt) {
  const Module module = paddedModule(kPaddedText);
  EXPECT_EQ(layoutOf(module, "a").paddedDimensions, (std::vector<int64_t>{3, 5}));
  EXPECT_EQ(layoutOf(module, "a").paddingValue, 0.0);
  EXPECT_EQ(module.at(*module.findInstruction("a")).attributes->get<RawText>(Attr::frontend_attributes)->text,
            "{other=\"x, y\"}");
  EXPECT_TRUE(layoutOf(module, "c").paddedDimensions.empty());
  EXPECT_EQ(layoutOf(module, "c").paddingValue, -std::numeric_limits<double>::infinity());
  EXPECT_FALSE(module.at(*module.findInstruction("c")).attributes->has(Attr::frontend_attributes));
  const Shape& root = module.shapeOf(module.entryComputation().root);
  EXPECT_EQ(root.elements[1].layout->paddedDimensions, std::vector<int64_t>{8});
  EXPECT_EQ(module.config().entryParameterLayouts[0].layout->paddedDimensions, (std::vector<int64_t>{3, 5}));
  EXPECT_TRUE(module.config().frontendAttributes.empty());
}

TEST(Padding, SurvivesEveryForm) {
  const Module module = paddedModule(kPaddedText);
  const std::string text = printHloText(module);
  EXPECT_EQ(printHloText(paddedModule(text)), text);
  EXPECT_EQ(printHloText(paddedModule(printShortText(module))), text);
  ProtoContent back = readProto(writeProto(module).value());
  ASSERT_TRUE(back.module);
  EXPECT_EQ(printHloText(*back.module), text);
  EXPECT_TRUE(lostPadding(module, PaddingCarrier::HloText).empty());
  EXPECT_TRUE(lostPadding(module, PaddingCarrier::Protobuf).empty());
}

TEST(Padding, LossIsNamed) {
  const Module module = paddedModule(kPaddedText);
  EXPECT_EQ(lostPadding(module, PaddingCarrier::None).size(), 6u);
  EXPECT_EQ(lostPadding(module, PaddingCarrier::None)[0], "the padding of %a (3,5=0)");
}

// The reference's enum has words for four values; the others are in a field of ours.
TEST(Padding, AnyValueSurvivesProtobuf) {
  for (double value : {0.5, -3.0, 1e300, -0.0, std::numeric_limits<double>::quiet_NaN()}) {
    Module module = paddedModule(kPaddedText);
    Shape shape = module.shapeOf(*module.findInstruction("a"));
    shape.layout->paddingValue = value;
    module.setShape(*module.findInstruction("a"), shape);
    for (bool text : {false, true}) {
      ProtoContent back = readProto(writeProto(module, {ProtoMessage::Hlo, text}).value());
      ASSERT_TRUE(back.module);
      EXPECT_EQ(printHloText(*back.module), printHloText(module)) << value;
    }
    EXPECT_TRUE(lostPadding(module, PaddingCarrier::Protobuf).empty());
  }
}

TEST(Padding, WhatDoesNotFitIsRefused) {
  for (const char* padding : {"1,5", "3", "{0}3,5", "3,x", "3,5=", "3,5=q", "{0", "3,5,7", "99999999999999999999,5"}) {
    std::string text = kPaddedText;
    text.replace(text.find("3,5=0\"}\n"), 5, padding);
    const ReadResult out = readHloText(text, "f.hlo");
    ASSERT_EQ(out.diagnostics.items().size(), 1u) << padding;
    EXPECT_EQ(out.diagnostics.items()[0].message,
              "%a: the padding \"" + std::string(padding) + "\" does not fit f32[2,3]");
    EXPECT_EQ(out.diagnostics.items()[0].position.line, 4u);
  }
}

std::string bytesOf(const std::vector<std::byte>& buffer) {
  return {reinterpret_cast<const char*>(buffer.data()), buffer.size()};
}

TEST(Physical, PadsAndOrders) {
  Shape shape = parseShape("u8[2,3]{0,1}").value();
  ASSERT_TRUE(applyPadding(shape, "3,4=9"));
  const Literal value = parseLiteral("{{1,2,3},{4,5,6}}", shape).value();
  EXPECT_EQ(bytesOf(packLiteral(value, shape).value()), "\1\4\11\2\5\11\3\6\11\11\11\11");
}

TEST(Physical, PacksPartsOfBytes) {
  const Shape shape = parseShape("s4[3]{0:E(4)}").value();
  const Literal value = parseLiteral("{1,-2,7}", shape).value();
  const auto buffer = packLiteral(value, shape).value();
  EXPECT_EQ(bytesOf(buffer), "\xE1\x07");
  EXPECT_TRUE(unpackLiteral(buffer, shape)->identical(value));
}

// Against MemoryMap element by element, under layouts of every kind.
TEST(Physical, FollowsTheMemoryMap) {
  for (const char* text :
       {"s16[]", "s16[7]{0:T(4)L(16)}", "s16[3,5]{0,1:T(2,4)}", "s16[3,5,4]{1,2,0:T(2,4)(2,1)}", "s16[4,6]{1,0:T(*,4)}",
        "s16[6,5]{1,0:M(8)}", "s16[0,3]{1,0:T(2,2)}", "s16[0,4000000000000]"}) {
    const Shape shape = parseShape(text).value();
    Literal value = Literal::allocate(shape).value();
    std::span<int16_t> data = value.mutableData<int16_t>();
    for (size_t i = 0; i < data.size(); ++i) data[i] = static_cast<int16_t>(i + 1);
    const auto buffer = packLiteral(value, shape).value();
    const MemoryMap map = MemoryMap::of(shape).value();
    ASSERT_EQ(static_cast<int64_t>(buffer.size()), map.bytes()) << text;
    size_t seen = 0;
    for (int64_t p = 0; p < map.positions(); ++p) {
      int16_t stored;
      std::memcpy(&stored, buffer.data() + map.byteOffset(p), 2);
      const auto index = map.index(p);
      int64_t linear = -1;
      for (size_t d = 0; index && d < index->size(); ++d) linear = (d ? linear : 0) * shape.dimensions[d] + (*index)[d];
      if (index && index->empty()) linear = 0;
      EXPECT_EQ(stored, index ? data[static_cast<size_t>(linear)] : 0) << text << " at " << p;
      seen += index.has_value();
    }
    EXPECT_EQ(seen, data.size()) << text;
    EXPECT_TRUE(unpackLiteral(buffer, shape)->identical(value)) << text;
  }
}

TEST(Physical, RefusesWhatDoesNotFit) {
  const Shape shape = parseShape("f32[4]").value();
  const std::vector<std::byte> buffer(15);
  EXPECT_EQ(unpackLiteral(buffer, shape).error().expected, "16 bytes");
  EXPECT_FALSE(unpackLiteral(buffer, parseShape("f32[4]{0:E(4)}").value()));
  EXPECT_FALSE(packLiteral(Literal::zeros(parseShape("f32[3]").value()).value(), shape));
}

}  // namespace
}  // namespace tessera
