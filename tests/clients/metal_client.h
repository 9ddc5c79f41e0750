// How a test client reaches Metal.
#pragma once
#include "metal/runtime.h"

/// MTLCreateSystemDefaultDevice() and MTLCopyAllDevices(), by whatever way this client has.
id create_default_device();
id copy_all_devices();
