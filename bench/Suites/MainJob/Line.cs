using System.Runtime.CompilerServices;

namespace Raceway.Suites.MainJob;

#pragma warning disable CA1051 // An item lives in a slot and is reached by ref; so are its parts, which must be fields for that.

/// <summary>What a line of XML documentation is, as the parse stage sees it.</summary>
public enum LineKind : byte
{
    /// <summary>Nothing but white space.</summary>
    Blank,

    /// <summary>Anything that does not begin with a tag.</summary>
    Text,

    /// <summary>An opening tag other than a member.</summary>
    Tag,

    /// <summary>A closing tag.</summary>
    CloseTag,

    /// <summary><c>&lt;member name="T:</c></summary>
    Type,

    /// <summary><c>&lt;member name="M:</c></summary>
    Method,

    /// <summary><c>&lt;member name="P:</c></summary>
    Property,

    /// <summary><c>&lt;member name="F:</c></summary>
    Field,

    /// <summary><c>&lt;member name="E:</c></summary>
    Event,
}

/// <summary>A line under way: where its bytes are and what the stages found out. The item of a run without hashes.</summary>
/// <remarks>
/// 32 bytes, so that two share a cache line and none straddles two. The digest is not in here: an item that carried 64
/// unused bytes would cost the Channel contestants, which copy it at every hand-over, more than it costs a ring that
/// does not. Runs with hashes use <see cref="HashedLine"/>, the same line with its digest behind it.
/// </remarks>
public struct Line : ILineItem<Line>
{
    /// <summary>The chunk that holds the bytes.</summary>
    public Chunk Chunk;

    /// <summary>When the open-loop generator meant to publish this line (timer ticks), or 0: only every 64th is stamped.</summary>
    public long Intended;

    /// <summary>Where the line begins in the chunk.</summary>
    public int Offset;

    /// <summary>Bytes of the line without its line feed; a carriage return before it belongs to the line.</summary>
    public int Length;

    /// <summary>Index of the file in the run's list.</summary>
    public int FileIndex;

    /// <summary>1 where a line feed ends the line, 0 at the end of a file without one.</summary>
    public byte Terminator;

    /// <summary>Set by parse: the kind of line.</summary>
    public LineKind Kind;

    /// <summary>Set by parse: leading blanks, at most 255.</summary>
    public byte Indent;

    /// <summary>Set by parse: the first byte after the leading blanks, 0 in a blank line.</summary>
    public byte Lead;

    /// <summary>The line's bytes without the line feed.</summary>
    public readonly ReadOnlySpan<byte> Bytes => new(Chunk.Buffer, Offset, Length);

    /// <inheritdoc/>
    public static bool Hashed => false;

    /// <inheritdoc/>
    public static ref Line LineOf(ref Line item) => ref item;

    /// <summary>There is nowhere to put a digest: pipelines over this item have no hash stage.</summary>
    public static Span<byte> DigestOf(ref Line item) => default;

    /// <summary>What parse found, packed: kind, indent, first byte, terminator, length.</summary>
    [MethodImpl(MethodImplOptions.AggressiveInlining)]
    public static ulong FoldOf(ref Line item) =>
        ((ulong)(uint)item.Length << 32)
        | ((ulong)item.Kind << 24)
        | ((ulong)item.Indent << 16)
        | ((ulong)item.Lead << 8)
        | item.Terminator;
}
