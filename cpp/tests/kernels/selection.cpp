// Which kernel table is taken, and what is said when the one that was asked for is not to be had.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>

#include "kernels/select.h"

namespace speech {
namespace {

KernelTable table_called(const char* name) {
  KernelTable table = *scalar_kernels();
  table.name = name;
  return table;
}

TEST(KernelSelection, ScalarIsAlwaysThereAndFirst) {
  ASSERT_FALSE(available_kernels().empty());
  EXPECT_STREQ(available_kernels().front()->name, "scalar");
}

TEST(KernelSelection, AvailableTablesHaveEveryKernel) {
  for (const KernelTable* table : available_kernels()) {
    for (int format = 0; format < kWeightFormats; ++format) {
      EXPECT_NE(table->to_f32[format], nullptr) << table->name << " " << format;
    }
    for (int format = 0; format < kPanelFormats; ++format) {
      const bool has_panels = format != kFormatF32;
      EXPECT_EQ(table->pack_rows[format] != nullptr, has_panels) << table->name << " " << format;
      EXPECT_EQ(table->panel_row_to_f32[format] != nullptr, has_panels) << table->name << " " << format;
      EXPECT_EQ(table->panel_products[format] != nullptr, has_panels && format != kFormatF16)
          << table->name << " " << format;
    }
    EXPECT_NE(table->quantize, nullptr) << table->name;
    EXPECT_NE(table->half_panel_to_f32, nullptr) << table->name;
    EXPECT_NE(table->half_panel_dots, nullptr) << table->name;
    EXPECT_NE(table->dots[kFormatF16], nullptr) << table->name;
    EXPECT_NE(table->weighted_sum[kFormatF16], nullptr) << table->name;
    EXPECT_NE(table->softmax_step, nullptr) << table->name;
  }
}

TEST(KernelSelection, ATableIsThereWhereTheProcessorHasItsInstructions) {
  const auto has = [](std::string_view name) {
    return std::any_of(available_kernels().begin(), available_kernels().end(),
                       [&](const KernelTable* table) { return table->name == name; });
  };
#if defined(__x86_64__)
  const bool avx2 = __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("f16c");
  EXPECT_EQ(has("avx2"), avx2);
  EXPECT_EQ(has("avx512"), avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
                               __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl"));
  EXPECT_EQ(has("avx512vnni"), has("avx512") && __builtin_cpu_supports("avx512vnni"));
  EXPECT_EQ(neon_kernels(), nullptr);
  EXPECT_EQ(neon_dotprod_kernels(), nullptr);
  EXPECT_EQ(neon_i8mm_kernels(), nullptr);
#else
  EXPECT_EQ(avx2_kernels(), nullptr);
  EXPECT_EQ(avxvnni_kernels(), nullptr);
  EXPECT_EQ(avx512_kernels(), nullptr);
  EXPECT_EQ(avx512vnni_kernels(), nullptr);
#endif
#if defined(__aarch64__)
  EXPECT_TRUE(has("neon"));
#endif
  EXPECT_FALSE(has("sse9"));
}

TEST(KernelSelection, TheFastestIsTakenUnlessOneIsForced) {
  const KernelTable slow = table_called("slow");
  const KernelTable fast = table_called("fast");
  const KernelTable* const tables[] = {&slow, &fast};
  EXPECT_EQ(choose_kernels("", tables).value(), &fast);
  EXPECT_EQ(choose_kernels("slow", tables).value(), &slow);
}

TEST(KernelSelection, ATableThatIsNotThereIsRefusedWithTheNamesOfThoseThatAre) {
  const KernelTable slow = table_called("slow");
  const KernelTable fast = table_called("fast");
  const KernelTable* const tables[] = {&slow, &fast};
  for (const std::string name : {"avx512", "abacus", "slo", "slow "}) {
    const Result<const KernelTable*> choice = choose_kernels(name, tables);
    ASSERT_FALSE(choice.is_ok());
    EXPECT_EQ(choice.status().code(), Code::kUnsupported);
    EXPECT_EQ(choice.status().message(),
              "WSPKIT_KERNELS asks for the CPU kernels '" + name + "', but this machine and build have: slow, fast");
  }
}

TEST(KernelSelection, TheEnvironmentIsObeyed) {
  const char* forced = std::getenv("WSPKIT_KERNELS");
  ASSERT_TRUE(active_kernels().is_ok()) << active_kernels().status().message();
  EXPECT_EQ(active_kernels().value(), choose_kernels(forced != nullptr ? forced : "", available_kernels()).value());
}

}  // namespace
}  // namespace speech
