using System.Numerics;

namespace Raceway.Pipelines;

/// <summary>One bit for each slot of a ring: which items a stage is for. Written by one stage, read by those that follow it.</summary>
/// <remarks>
/// <para>The writer sets the bits of its batch before it reports progress; a reader looks at bits of sequences only that it
/// has seen the writer pass. So the bits of an item are as visible as the item itself.</para>
/// <para>ORDER: a word is shared by 64 neighbours, so the writer changes some bits while others, of items that readers are
/// still at (those just before, or those of the lap before just behind), are being read. It is the only writer: it may load,
/// change and store the word without an atomic exchange, and the store, of 64 bits at once, leaves the neighbours' bits as
/// they were. The store itself needs no order of its own: it comes before the release of the writer's progress
/// (<c>Progress.Advance</c>), and pairs with the acquire of it in <c>Stage.Look</c> of the reader.</para>
/// <para>A bit is used again a lap later. By then every stage that reads it has passed the item, or the slot would not have
/// been given to a producer.</para>
/// </remarks>
internal sealed class Selection
{
    // Nothing else of the heap in the lines of the bits.
    private const int Margin = 16;

    private readonly ulong[] _words;

    /// <param name="capacity">Slots of the ring.</param>
    public Selection(int capacity)
    {
        Capacity = capacity;
        _words = new ulong[Math.Max(1, capacity / 64) + 2 * Margin];
    }

    /// <summary>Slots of the ring.</summary>
    public int Capacity { get; }

    /// <summary>The bits of a word; 64 slots a word, or all of them in a smaller ring.</summary>
    public ulong Read(int word) => Volatile.Read(ref _words[Margin + word]);

    /// <summary>Makes the bits of a word that are in <paramref name="range"/> those of <paramref name="bits"/>. Writer only.</summary>
    public void Write(int word, ulong range, ulong bits)
    {
        ref ulong place = ref _words[Margin + word];
        Volatile.Write(ref place, (place & ~range) | (bits & range));
    }

    /// <summary>How many items from <paramref name="first"/> to <paramref name="last"/> are selected: a snapshot.</summary>
    public long Count(long first, long last)
    {
        long count = 0;
        for (; first <= last; first += int.MaxValue)
        {
            var words = new SelectedWords(new SelectionSet(this), first, (int)Math.Min(int.MaxValue, last - first + 1));
            while (words.MoveNext()) count += BitOperations.PopCount(words.Bits);
        }

        return count;
    }
}
