// RUN: posenc-opt %s --posenc-attach-target="cpu=x86-64-v3" | FileCheck %s --check-prefix=V3
// RUN: posenc-opt %s --posenc-attach-target="cpu=generic-aarch64" | FileCheck %s --check-prefix=NEON
// RUN: not posenc-opt %s --posenc-attach-target="cpu=pentium" 2>&1 | FileCheck %s --check-prefix=UNKNOWN

// V3: module attributes {dlti.target_system_spec = #dlti.target_system_spec<"CPU" = #dlti.target_device_spec<"cpu" = "x86-64-v3", "max_vector_op_width" = 256 : i64,
// NEON: "cpu" = "generic-aarch64", "max_vector_op_width" = 128 : i64
// UNKNOWN: unknown CPU 'pentium': use one of native, x86-64-v3, x86-64-v4, sapphirerapids, generic-aarch64
module {}
