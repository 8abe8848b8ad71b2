using System.Buffers;

namespace Raceway.Interop.Distributed;

/// <summary>Writes items as bytes, and reads them back, for a link between processes.</summary>
/// <remarks>
/// <para><b>Threads</b>: a codec is used by several links at the same time; keep no state in it.</para>
/// <para><b>Cost</b>: called once an item; what it allocates is the only thing that is allocated for an item.</para>
/// <para><b>Errors</b>: what <see cref="Write"/> throws is a fault of the sending stage, at that item. What <see cref="Read"/>
/// throws parks the frame: nothing from that claim on is published (of a frame larger than half of the largest claim, what is
/// before it has been).</para>
/// </remarks>
/// <typeparam name="T">The item type.</typeparam>
/// <example>
/// <code>
/// internal sealed class QuoteCodec : IItemCodec&lt;Quote>
/// {
///     public int FixedLength => 0;  // differs from item to item
///
///     public void Write(in Quote item, IBufferWriter&lt;byte> output) => Encoding.UTF8.GetBytes(item.Symbol, output);
///
///     public void Read(ReadOnlySpan&lt;byte> bytes, ref Quote item) =>
///         item = new Quote { Symbol = Encoding.UTF8.GetString(bytes) };
/// }
/// </code>
/// </example>
public interface IItemCodec<T>
{
    /// <summary>Bytes of every item, where all have as many; 0 where they differ, which costs 4 bytes an item.</summary>
    int FixedLength => 0;

    /// <summary>Writes <paramref name="item"/>.</summary>
    void Write(ref readonly T item, IBufferWriter<byte> output);

    /// <summary>Fills <paramref name="item"/>, a slot that may have been used before, from what was written.</summary>
    /// <param name="bytes">What <see cref="Write"/> wrote; valid until the call returns.</param>
    /// <param name="item">The slot.</param>
    void Read(ReadOnlySpan<byte> bytes, ref T item);
}
