// SPDX-License-Identifier: MIT
// Tables of probes that have a rate of their own: probes_every_0.001.csv, one per rate; and units.csv, what the columns of all
// tables are measured in.
#ifndef IO_PROBE_TABLES_H
#define IO_PROBE_TABLES_H

#include "io/table.h"
#include <meniscus/scene.h>

typedef struct ProbeTable {
    double every; // [s]
    Table table;
} ProbeTable;

typedef struct ProbeTables {
    ProbeTable* rate;
    size_t count;
} ProbeTables;

// Probes of which tables have the three components too, behind all values.
bool probe_has_components(const mn_ProbeDef* probe);
bool probe_table_is_name(const char* name); // of a file

// New (frame -1) or cut behind `frame`.
mn_Result probe_tables_open(ProbeTables* tables, const char* folder, const mn_Scene* scene, int64_t frame, mn_Error* error);
// Samples that were not taken yet, as rows of frame `frame`.
mn_Result probe_tables_write(ProbeTables* tables, const mn_Scene* scene, const mn_World* world, int64_t frame, mn_Error* error);
mn_Result probe_tables_sync(const ProbeTables* tables, mn_Error* error);
mn_Result probe_tables_close(ProbeTables* tables, mn_Error* error);

mn_Result units_write(const char* folder, const mn_Scene* scene, mn_Error* error);

#endif
