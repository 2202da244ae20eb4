// SPDX-License-Identifier: MIT
#include "io/vtp.h"

#include <inttypes.h>

static const char* type_name(NumberType type)
{
    static const char* const name[] = {"Int8",   "UInt8", "Int16",  "UInt16",  "Int32",
                                       "UInt32", "Int64", "UInt64", "Float32", "Float64"};
    return name[type];
}

void vtp_begin(VtpWriter* vtp, FileOut* file, double time, VtpCounts counts)
{
    *vtp = (VtpWriter){.file = file};
    file_out_print(file,
                   "<?xml version=\"1.0\"?>\n"
                   "<VTKFile type=\"PolyData\" version=\"1.0\" byte_order=\"%s\" header_type=\"UInt64\">\n"
                   "<PolyData>\n"
                   "<FieldData>\n"
                   "<DataArray type=\"Float64\" Name=\"TimeValue\" NumberOfTuples=\"1\" format=\"ascii\">%.17g</DataArray>\n"
                   "</FieldData>\n"
                   "<Piece NumberOfPoints=\"%" PRIu64 "\" NumberOfVerts=\"%" PRIu64 "\" NumberOfLines=\"%" PRIu64
                   "\" NumberOfStrips=\"0\" NumberOfPolys=\"%" PRIu64 "\">\n",
                   machine_is_little_endian() ? "LittleEndian" : "BigEndian", time, counts.points, counts.verts, counts.lines,
                   counts.polys);
}

void vtp_section(VtpWriter* vtp, const char* tag, bool open)
{
    file_out_print(vtp->file, "<%s%s>\n", open ? "" : "/", tag);
}

void vtp_declare(VtpWriter* vtp, NumberType type, const char* name, int components, uint64_t count)
{
    file_out_print(vtp->file,
                   "<DataArray type=\"%s\" Name=\"%s\" NumberOfComponents=\"%d\" format=\"appended\" offset=\"%" PRIu64 "\"/>\n",
                   type_name(type), name, components, vtp->offset);
    vtp->offset += sizeof(uint64_t) + count * (uint64_t)components * number_size(type);
}

void vtp_begin_data(VtpWriter* vtp)
{
    file_out_print(vtp->file, "</Piece>\n</PolyData>\n<AppendedData encoding=\"raw\">\n_");
}

void vtp_array(VtpWriter* vtp, const void* data, uint64_t bytes)
{
    file_out_write(vtp->file, &bytes, sizeof bytes);
    file_out_write(vtp->file, data, bytes);
}

void vtp_range(VtpWriter* vtp, int32_t first, int32_t step, uint64_t count)
{
    enum { CHUNK = 4096 };
    int32_t chunk[CHUNK];
    uint64_t bytes = count * sizeof *chunk;
    file_out_write(vtp->file, &bytes, sizeof bytes);
    for (uint64_t k = 0; k < count; k += CHUNK) {
        uint64_t n = count - k < CHUNK ? count - k : CHUNK;
        for (uint64_t i = 0; i < n; i++)
            chunk[i] = (int32_t)(first + (int64_t)(k + i) * step);
        file_out_write(vtp->file, chunk, n * sizeof *chunk);
    }
}

void vtp_end(VtpWriter* vtp)
{
    file_out_print(vtp->file, "\n</AppendedData>\n</VTKFile>\n");
}
