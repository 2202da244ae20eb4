// SPDX-License-Identifier: MIT
// OpenGL ES 3.0 as far as the window needs it: functions that are found when a context is there, programs, textures to draw into.
// Only what GLSL ES 3.00 and EXT_color_buffer_float (or half_float) have, so that a web page could use the same programs.
// Pictures have their first row at the top, as everywhere here: y grows downwards, and only what goes to the window is turned.
#ifndef VIEWER_GLES_H
#define VIEWER_GLES_H

#include "base/vec.h"
#include <SDL_opengl.h>
#include <meniscus/base.h>

typedef struct Gl {
    void (*ActiveTexture)(GLenum);
    void (*AttachShader)(GLuint, GLuint);
    void (*BindAttribLocation)(GLuint, GLuint, const char*);
    void (*BindBuffer)(GLenum, GLuint);
    void (*BindFramebuffer)(GLenum, GLuint);
    void (*BindTexture)(GLenum, GLuint);
    void (*BindVertexArray)(GLuint);
    void (*BlendFunc)(GLenum, GLenum);
    void (*BlitFramebuffer)(GLint, GLint, GLint, GLint, GLint, GLint, GLint, GLint, GLbitfield, GLenum);
    void (*BufferData)(GLenum, ptrdiff_t, const void*, GLenum);
    GLenum (*CheckFramebufferStatus)(GLenum);
    void (*Clear)(GLbitfield);
    void (*ClearBufferfv)(GLenum, GLint, const GLfloat*);
    void (*CompileShader)(GLuint);
    GLuint (*CreateProgram)(void);
    GLuint (*CreateShader)(GLenum);
    void (*DeleteBuffers)(GLsizei, const GLuint*);
    void (*DeleteFramebuffers)(GLsizei, const GLuint*);
    void (*DeleteProgram)(GLuint);
    void (*DeleteShader)(GLuint);
    void (*DeleteTextures)(GLsizei, const GLuint*);
    void (*DeleteVertexArrays)(GLsizei, const GLuint*);
    void (*DepthFunc)(GLenum);
    void (*Disable)(GLenum);
    void (*DrawArrays)(GLenum, GLint, GLsizei);
    void (*DrawArraysInstanced)(GLenum, GLint, GLsizei, GLsizei);
    void (*DrawBuffers)(GLsizei, const GLenum*);
    void (*Enable)(GLenum);
    void (*EnableVertexAttribArray)(GLuint);
    void (*FramebufferTexture2D)(GLenum, GLenum, GLenum, GLuint, GLint);
    void (*GenBuffers)(GLsizei, GLuint*);
    void (*GenFramebuffers)(GLsizei, GLuint*);
    void (*GenTextures)(GLsizei, GLuint*);
    void (*GenVertexArrays)(GLsizei, GLuint*);
    GLenum (*GetError)(void);
    void (*GetProgramiv)(GLuint, GLenum, GLint*);
    void (*GetProgramInfoLog)(GLuint, GLsizei, GLsizei*, char*);
    void (*GetShaderiv)(GLuint, GLenum, GLint*);
    void (*GetShaderInfoLog)(GLuint, GLsizei, GLsizei*, char*);
    const GLubyte* (*GetString)(GLenum);
    GLint (*GetUniformLocation)(GLuint, const char*);
    void (*LinkProgram)(GLuint);
    void (*PixelStorei)(GLenum, GLint);
    void (*ReadPixels)(GLint, GLint, GLsizei, GLsizei, GLenum, GLenum, void*);
    void (*Scissor)(GLint, GLint, GLsizei, GLsizei);
    void (*ShaderSource)(GLuint, GLsizei, const char* const*, const GLint*);
    void (*TexImage2D)(GLenum, GLint, GLint, GLsizei, GLsizei, GLint, GLenum, GLenum, const void*);
    void (*TexParameteri)(GLenum, GLenum, GLint);
    void (*Uniform1f)(GLint, GLfloat);
    void (*Uniform1i)(GLint, GLint);
    void (*Uniform2f)(GLint, GLfloat, GLfloat);
    void (*Uniform2i)(GLint, GLint, GLint);
    void (*Uniform3f)(GLint, GLfloat, GLfloat, GLfloat);
    void (*Uniform4f)(GLint, GLfloat, GLfloat, GLfloat, GLfloat);
    void (*UniformMatrix3fv)(GLint, GLsizei, GLboolean, const GLfloat*);
    void (*UseProgram)(GLuint);
    void (*VertexAttribDivisor)(GLuint, GLuint);
    void (*VertexAttribPointer)(GLuint, GLint, GLenum, GLboolean, GLsizei, const void*);
    void (*Viewport)(GLint, GLint, GLsizei, GLsizei);
} Gl;

// Finds all functions of the current context. False: one is missing, which `error` names.
bool gl_load(Gl* gl, void* (*find)(const char* name), mn_Error* error);
// Whether the name of a renderer is one of those that compute on the processor.
bool gl_is_software(const char* renderer);

// --- programs

// Of a vertex and a fragment shader; `parts` come between the version and the source. 0 on failure.
GLuint gl_program(const Gl* gl, const char* name, const char* parts, const char* vertex, const char* fragment, mn_Error* error);
void gl_int(const Gl* gl, GLuint program, const char* name, int value);
void gl_float(const Gl* gl, GLuint program, const char* name, double value);
void gl_pair(const Gl* gl, GLuint program, const char* name, double x, double y);
void gl_vec3(const Gl* gl, GLuint program, const char* name, Vec3 value);
void gl_texture(const Gl* gl, GLuint program, const char* name, int unit, GLuint texture);

// --- textures to draw into

enum { TARGET_MOST = 3 };

typedef struct Target {
    int width, height;
    GLuint frame, depth; // depth 0: none
    GLuint texture[TARGET_MOST];
    int count;
} Target;

// Makes or resizes it; formats are sized ones (GL_R32F ...). False: the driver cannot draw into these.
bool target_fit(const Gl* gl, Target* target, int width, int height, const GLenum* formats, int count, bool depth);
void target_free(const Gl* gl, Target* target);
void target_use(const Gl* gl, const Target* target); // with its viewport, all textures

// Rows from the top, 8 bits of red, green and blue; replaces what was there.
void gl_upload(const Gl* gl, GLuint* texture, int width, int height, const uint8_t* rgb);

#endif
