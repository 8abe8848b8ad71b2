using System.Buffers;

namespace Raceway.Interop.Journal;

/// <summary>Writes items as bytes, and reads them back, for a journal.</summary>
/// <remarks>
/// <para><b>Threads</b>: written by one thread at a time, and read by another one while the journal is replayed.</para>
/// <para><b>Cost</b>: called once per item. The journal allocates nothing for an item itself.</para>
/// <para><b>Errors</b>: what <see cref="Write"/> throws is a fault of the journal's stage at that item: the items before it are
/// stored, it is not. What <see cref="Read"/> throws ends the replay at that item.</para>
/// </remarks>
/// <typeparam name="T">The item type.</typeparam>
/// <example>
/// <code>
/// internal sealed class QuoteCodec : IJournalCodec&lt;Quote>
/// {
///     public JournalSchema Schema => new(Fingerprint: 0x51554F5445, Version: 1);
///
///     public bool CanRead(JournalSchema stored) => stored == Schema;
///
///     public void Write(in Quote item, IBufferWriter&lt;byte> output) => Encoding.UTF8.GetBytes(item.Symbol, output);
///
///     public void Read(ReadOnlySpan&lt;byte> bytes, JournalSchema stored, ref Quote item) =>
///         item = new Quote { Symbol = Encoding.UTF8.GetString(bytes) };
/// }
/// </code>
/// </example>
public interface IJournalCodec<T>
{
    /// <summary>What it writes now. It stands in the header of every segment.</summary>
    JournalSchema Schema { get; }

    /// <summary>Whether it reads what was written under another schema. By default only what has its own.</summary>
    bool CanRead(JournalSchema stored) => stored == Schema;

    /// <summary>Writes <paramref name="item"/>.</summary>
    void Write(ref readonly T item, IBufferWriter<byte> output);

    /// <summary>Fills <paramref name="item"/>, a slot that may have been used before, from what was written.</summary>
    /// <param name="bytes">What <see cref="Write"/> wrote; valid until the call returns.</param>
    /// <param name="stored">The schema that it was written under.</param>
    /// <param name="item">The slot.</param>
    void Read(ReadOnlySpan<byte> bytes, JournalSchema stored, ref T item);
}
