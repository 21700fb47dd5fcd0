#include "AttentionKernel.h"
using namespace mlir;
using namespace mlir::posenc;
void posenc::emitDecode(AttentionKernel &kernel) {}
