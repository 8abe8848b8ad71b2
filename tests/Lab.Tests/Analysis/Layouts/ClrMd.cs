using Microsoft.Diagnostics.Runtime;
using Raceway.Analysis.Layouts;

namespace Raceway.Lab.Tests.Analysis.Layouts;

/// <summary>What ClrMD, which reads the runtime's structures from outside, says of this process's types.</summary>
/// <remarks>It remembers what it has read: types that come later are not known to it.</remarks>
internal sealed class ClrMd : IDisposable
{
    private readonly DataTarget _target = DataTarget.AttachToProcess(Environment.ProcessId, suspend: false);
    private readonly ClrRuntime _runtime;

    public ClrMd() => _runtime = _target.ClrVersions[0].CreateRuntime();

    /// <summary>How many fields were compared.</summary>
    public int Fields { get; private set; }

    public void Dispose()
    {
        _runtime.Dispose();
        _target.Dispose();
    }

    /// <summary>What it says otherwise than a layout; null where nothing.</summary>
    public string? Difference(TypeLayout layout)
    {
        ClrType? type = _runtime.GetTypeByMethodTable((ulong)layout.Type.TypeHandle.Value);
        if (type is null) return $"{TypeNames.Of(layout.Type)}: not known to ClrMD";

        // A struct's size is told boxed, in whole words.
        int boxed = layout.Kind == LayoutKind.Class ? layout.Size : (layout.Size + 7) / 8 * 8 + 16;
        boxed = Math.Max(boxed, 24);
        string own = Text(boxed, layout.Fields.Where(static one => one.Depth == 0).Select(static one => (one.Name, one.Offset)));
        string told = Text(type.StaticSize, type.Fields.Select(static one => (NameOf(one.Name), one.Offset)));
        Fields += type.Fields.Length;
        return own == told ? null : $"{TypeNames.Of(layout.Type)}: own {own}, ClrMD {told}";
    }

    private static string Text(int size, IEnumerable<(string Name, int Offset)> fields) =>
        $"{size} B " + string.Join(' ', fields
            .OrderBy(static one => one.Offset).ThenBy(static one => one.Name, StringComparer.Ordinal)
            .Select(static one => $"{one.Name}@{one.Offset}"));

    private static string NameOf(string? name) =>
        name is ['<', ..] && name.IndexOf(">k__", StringComparison.Ordinal) is > 0 and var end ? name[1..end] : name ?? "";
}
