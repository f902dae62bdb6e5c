/* A plugin of QEMU's user emulation: counts the instructions that a program executes, and writes the count to a file at
 * each mark. A mark is a write to file -1, whose length is its number (mark() in subject.c does that).
 *
 * Options: out=FILE. Build it as a shared library; QEMU_PLUGIN_API is 1 up to QEMU 8 and 2 from QEMU 9 on. One thread:
 * the count is not atomic. Systems ship no header for plugins, so what is used of QEMU's interface is declared here.
 */
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef QEMU_PLUGIN_API
#define QEMU_PLUGIN_API 1
#endif

enum { WRITE_OF_AARCH64 = 64 };

typedef uint64_t plugin_id;
struct qemu_plugin_tb;
typedef void (*on_syscall)(plugin_id, unsigned vcpu, int64_t number, uint64_t a1, uint64_t a2, uint64_t a3, uint64_t a4,
                           uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8);

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb* block);
void qemu_plugin_register_vcpu_tb_trans_cb(plugin_id id, void (*call)(plugin_id, struct qemu_plugin_tb*));
void qemu_plugin_register_vcpu_tb_exec_cb(struct qemu_plugin_tb* block, void (*call)(unsigned vcpu, void* data),
                                          int flags, void* data);
void qemu_plugin_register_vcpu_syscall_cb(plugin_id id, on_syscall call);

#define EXPORT __attribute__((visibility("default")))

EXPORT int qemu_plugin_version = QEMU_PLUGIN_API;

static uint64_t executed;
static FILE* out;

static void block_runs(unsigned vcpu, void* n_instructions) {
  (void)vcpu;
  executed += (uintptr_t)n_instructions;
}

static void block_is_translated(plugin_id id, struct qemu_plugin_tb* block) {
  (void)id;
  qemu_plugin_register_vcpu_tb_exec_cb(block, block_runs, 0, (void*)(uintptr_t)qemu_plugin_tb_n_insns(block));
}

static void program_calls(plugin_id id, unsigned vcpu, int64_t number, uint64_t a1, uint64_t a2, uint64_t a3,
                          uint64_t a4, uint64_t a5, uint64_t a6, uint64_t a7, uint64_t a8) {
  (void)id, (void)vcpu, (void)a2, (void)a4, (void)a5, (void)a6, (void)a7, (void)a8;
  if (number == WRITE_OF_AARCH64 && (int32_t)a1 == -1) {
    fprintf(out, "%llu %llu\n", (unsigned long long)a3, (unsigned long long)executed);
    fflush(out);
  }
}

EXPORT int qemu_plugin_install(plugin_id id, const void* info, int argc, char** argv) {
  (void)info;
  for (int i = 0; i < argc; ++i) {
    if (strncmp(argv[i], "out=", 4) == 0) {
      out = fopen(argv[i] + 4, "w");
    }
  }
  if (out == NULL) {
    fputs("count_instructions: no out=FILE that can be written\n", stderr);
    return 1;
  }
  qemu_plugin_register_vcpu_tb_trans_cb(id, block_is_translated);
  qemu_plugin_register_vcpu_syscall_cb(id, program_calls);
  return 0;
}
