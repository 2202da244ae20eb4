// A line as a rectangle around its picture.
in vec4 in_0; // corner [pixels], from [pixels]
in vec4 in_1; // to [pixels], 1/z (or z) at both ends
in vec4 in_2; // width [pixels], pulled forward [m], alpha
in vec3 in_3; // sRGB
flat out vec4 vEnds;
flat out vec4 vLine;
flat out vec4 vInk;

void main()
{
    vEnds = vec4(in_0.zw, in_1.xy);
    vLine = vec4(in_1.zw, in_2.xy);
    vInk = vec4(in_3, in_2.z);
    gl_Position = vec4(2.0 * in_0.xy / uSize - 1.0, 0, 1);
}
