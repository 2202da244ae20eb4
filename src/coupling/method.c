// SPDX-License-Identifier: MIT
#include "coupling/coupling.h"

const CouplingMethod* coupling_method(mn_Coupling type)
{
    static const CouplingMethod* const methods[] = {&coupling_akinci, &coupling_direct, &coupling_gauss, &coupling_immersed};
    for (size_t k = 0; k < sizeof methods / sizeof *methods; k++)
        if (methods[k]->type == type)
            return methods[k];
    return &coupling_akinci;
}

const CouplingMethod* coupling_on_grid(void)
{
    return &coupling_immersed;
}

bool coupling_create(Coupling* c, const CouplingMethod* method, const CouplingDef* def)
{
    void* data = method->create(def);
    if (!data)
        return false;
    *c = (Coupling){method, data};
    return true;
}

void coupling_destroy(Coupling* c)
{
    if (c->method)
        c->method->destroy(c->data);
    *c = (Coupling){0};
}
