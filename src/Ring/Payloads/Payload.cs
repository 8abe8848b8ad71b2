namespace Raceway.Rings;

/// <summary>Variable-size bytes of an item, in a pooled buffer that the slot owns.</summary>
/// <remarks>
/// <para>Put a field of this type into the item, and its place into <see cref="RingOptions{T}.Payload"/>. The ring lends it
/// anew with every claim; an item that is copied over a slot has an empty one.</para>
/// <para><b>Threads</b>: written by the producer before commit, read by stages until the last gating stage has passed.</para>
/// <para><b>Errors</b>: any later access throws <see cref="ObjectDisposedException"/>. A span taken before that cannot be
/// caught: use it within the handler, <see cref="Retain"/> or copy what is to be kept.</para>
/// <para><b>Cost</b>: a read looks at the progress of the gating stages, a write before commit at the producer's cursor; a few ns.
/// Buffers stay with their slots, so in the steady state nothing is rented or returned.</para>
/// </remarks>
/// <example>
/// <code>
/// await using var ring = new RingBuffer&lt;Message>(256, new() { Payload = static (ref Message slot) => ref slot.Body });
/// ring.Subscribe(static (ref Message message) => Console.WriteLine(Encoding.UTF8.GetString(message.Body.Span)));
/// ring.Start();
/// using SingleProducer&lt;Message> producer = ring.CreateProducer();
/// producer.PublishPayload("hello"u8, 1, static (ref Message message, int id) => message.Id = id);
/// </code>
/// </example>
public readonly struct Payload
{
    private readonly PayloadEntries? _entries;
    private readonly long _sequence;

    internal Payload(PayloadEntries entries, long sequence)
    {
        _entries = entries;
        _sequence = sequence;
    }

    /// <summary>Bytes written.</summary>
    public int Length => _entries is null ? 0 : Live(out _, out _).Length;

    /// <summary>The bytes; within the handler.</summary>
    public ReadOnlySpan<byte> Span => _entries is null ? default : Live(out _, out _).Written.Span;

    /// <summary>The bytes, for async handlers; until the handler's task completes.</summary>
    public ReadOnlyMemory<byte> Memory => _entries is null ? default : Live(out _, out _).Written;

    /// <summary>True once the last gating stage has passed it, and for the empty payload of a copied item.</summary>
    public bool IsReleased
    {
        get
        {
            long sequence = _sequence;
            return _entries is not { } entries || !entries[sequence].IsLent(sequence, entries.Sequencer);
        }
    }

    /// <summary>Copies <paramref name="bytes"/> in. Producer, before commit.</summary>
    /// <exception cref="ArgumentOutOfRangeException">Longer than the ring's maximum.</exception>
    /// <exception cref="InvalidOperationException">The slot has no payload.</exception>
    public void Write(ReadOnlySpan<byte> bytes) => bytes.CopyTo(Reserve(bytes.Length));

    /// <summary>Sets the length and returns the bytes to be written; their content is undefined. Producer, before commit.</summary>
    /// <inheritdoc cref="Write"/>
    public Span<byte> Reserve(int length)
    {
        ref PayloadEntry entry = ref Entry(out PayloadEntries entries, out long sequence);
        if (!entry.IsWritable(sequence, entries.Sequencer)) throw PayloadErrors.PayloadReleased(sequence);
        return entry.Reserve(length, entries.Options);
    }

    /// <summary>Keeps the bytes beyond the slot's life, without a copy; the slot gets another buffer. Dispose it.</summary>
    /// <remarks>Allocates. Call it from a handler, while the payload is live.</remarks>
    public RetainedPayload Retain() => Live(out PayloadEntries entries, out long sequence).Retain(sequence, entries.Sequencer);

    private ref PayloadEntry Live(out PayloadEntries entries, out long sequence)
    {
        ref PayloadEntry entry = ref Entry(out entries, out sequence);
        if (!entry.IsLent(sequence, entries.Sequencer)) throw PayloadErrors.PayloadReleased(sequence);
        return ref entry;
    }

    private ref PayloadEntry Entry(out PayloadEntries entries, out long sequence)
    {
        // Read once: threads that share a handle unchecked may overwrite the slot meanwhile.
        entries = _entries ?? throw PayloadErrors.NoPayloads();
        sequence = _sequence;
        return ref entries[sequence];
    }
}

/// <summary>Finds the payload in an item.</summary>
/// <typeparam name="T">The item type.</typeparam>
public delegate ref Payload PayloadAccessor<T>(ref T slot);
