namespace Raceway.Rings;

/// <summary>The payload buffers of a ring, one for each slot: what a <see cref="Payload"/> refers to.</summary>
internal sealed class PayloadEntries
{
    private readonly PayloadEntry[] _entries;
    private readonly long _mask;

    public PayloadEntries(int capacity, Sequencer sequencer, PayloadOptions options)
    {
        (Sequencer, Options) = (sequencer, options);
        _entries = new PayloadEntry[capacity];
        _mask = capacity - 1;
        Array.Fill(_entries, new PayloadEntry());
    }

    public Sequencer Sequencer { get; }

    public PayloadOptions Options { get; }

    /// <summary>How many there are.</summary>
    public int Count => _entries.Length;

    /// <summary>The entry of the slot of <paramref name="sequence"/>.</summary>
    public ref PayloadEntry this[long sequence] => ref _entries[sequence & _mask];
}
