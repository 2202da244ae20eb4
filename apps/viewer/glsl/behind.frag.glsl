// Depth of what is opaque in the middle of a half-size pixel.
layout(location = 0) out vec4 oDepth;
uniform sampler2D uDepth;
uniform int uFactor;
uniform ivec2 uPixels;

void main()
{
    ivec2 px = min(2 * ivec2(gl_FragCoord.xy) + 1, uPixels - 1);
    oDepth = vec4(texelFetch(uDepth, px * uFactor, 0).r);
}
