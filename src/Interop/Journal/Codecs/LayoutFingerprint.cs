using System.Diagnostics.CodeAnalysis;
using System.Reflection;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Text;

namespace Raceway.Interop.Journal;

/// <summary>A number that differs if the layout of a struct differs.</summary>
/// <remarks>
/// The runtime lays a sequential struct out by the order and types of its fields and by its packing, so these stand for the
/// offsets. An explicit struct names its offsets itself.
/// </remarks>
internal static class LayoutFingerprint
{
    private const int MostDepth = 16;

    /// <summary>Of a text: FNV-1a over its UTF-8 bytes (Fowler, Noll, Vo).</summary>
    public static ulong Of(string text)
    {
        ulong hash = 0xCBF29CE484222325;
        foreach (byte one in Encoding.UTF8.GetBytes(text)) hash = unchecked((hash ^ one) * 0x100000001B3);
        return hash;
    }

    public static ulong Of(
        [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicFields | DynamicallyAccessedMemberTypes.NonPublicFields)] Type type,
        int size) => Of(TextOf(type, size));

    /// <summary>What the number is of. It is the same under every version of the assemblies.</summary>
    internal static string TextOf(
        [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicFields | DynamicallyAccessedMemberTypes.NonPublicFields)] Type type,
        int size)
    {
        // By ToString: the full name of a closed generic type holds the versions of its arguments' assemblies.
        StringBuilder text = new StringBuilder().Append(type.ToString()).Append(':').Append(size);
        Add(text, type, depth: 0);
        return text.ToString();
    }

    [UnconditionalSuppressMessage(
        "Trimming", "IL2072",
        Justification = "A trimmed nested struct keeps its fields. If it did not, the fingerprint would differ, and opening would be refused.")]
    private static void Add(
        StringBuilder text,
        [DynamicallyAccessedMembers(DynamicallyAccessedMemberTypes.PublicFields | DynamicallyAccessedMemberTypes.NonPublicFields)] Type type,
        int depth)
    {
        if (type.IsEnum || type.IsPrimitive || type.IsPointer || depth == MostDepth) return;
        text.Append('{').Append(type.StructLayoutAttribute?.Value).Append(type.StructLayoutAttribute?.Pack)
            .Append(',').Append(type.StructLayoutAttribute?.Size)
            .Append(',').Append(type.GetCustomAttribute<InlineArrayAttribute>()?.Length);
        // As they are declared. A native program has no tokens, and lists them in that order already.
        foreach (FieldInfo field in type.GetFields(BindingFlags.Instance | BindingFlags.Public | BindingFlags.NonPublic)
            .OrderBy(static field => field.HasMetadataToken() ? field.MetadataToken : 0))
        {
            text.Append(';').Append(field.Name).Append(' ').Append(field.FieldType.ToString());
            if (field.GetCustomAttribute<FieldOffsetAttribute>() is { } at) text.Append('@').Append(at.Value);
            Add(text, field.FieldType, depth + 1);
        }

        text.Append('}');
    }
}
