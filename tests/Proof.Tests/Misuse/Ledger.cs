using System.Collections.Concurrent;

namespace Raceway.Proof.Tests.Misuse;

/// <summary>What a call said about an item.</summary>
internal enum Said : byte
{
    /// <summary>It was never made.</summary>
    Nothing,

    /// <summary>Its call has not returned, or threw in the middle of a group: handled once at most.</summary>
    Unknown,

    /// <summary>It is published: handled once, or counted as unprocessed.</summary>
    Done,

    /// <summary>It is not: no stage may ever see it.</summary>
    Refused,
}

/// <summary>Items that one call is about: consecutive numbers of one thread.</summary>
internal struct Items(long first, int count)
{
    public readonly long First = first;
    public readonly int Count = count;

    /// <summary>Of a claim: the same for all its copies.</summary>
    public ClaimOfItems? Claim;

    /// <summary>Whether there is no claim of these that is still open.</summary>
    public readonly bool IsEnded => Claim is null or { IsEnded: true };
}

/// <summary>A claim, whichever copy of it is used.</summary>
internal sealed class ClaimOfItems
{
    public bool IsEnded;
}

/// <summary>Every item of a case: what its publisher was told, and where it came out.</summary>
internal sealed class Ledger(int threads, int stages)
{
    /// <summary>Items that one thread can make in a case.</summary>
    public const int MostOfAThread = 1 << Shift;

    private const int Shift = 11;
    private readonly Said[] _said = new Said[threads * MostOfAThread];
    private readonly int[][] _came = [.. Enumerable.Range(0, stages + 1).Select(_ => new int[threads * MostOfAThread])];
    private readonly ConcurrentQueue<string> _wrong = new();

    /// <summary>The column of what is offered as unprocessed.</summary>
    public int Left => stages;

    public bool IsRight => _wrong.IsEmpty;

    /// <summary>Two threads may fill one slot, as nothing checks them: an item may be made of two. All else is judged.</summary>
    public bool MayMix;

    /// <summary>What said that everything had ended: from then on nothing may come.</summary>
    public string? EndedBy;

    /// <summary>Items offered as unprocessed.</summary>
    public long LeftOver;

    /// <summary>What is wrong, one line each.</summary>
    public IEnumerable<string> Wrong => _wrong;

    public void Say(in Items items, Said said) => Say(items.First, items.Count, said);

    public void Say(long first, int count, Said said) => _said.AsSpan((int)first, count).Fill(said);

    public Said SaidOf(long item) => _said[item];

    public void Fault(string what)
    {
        if (_wrong.Count < 20) _wrong.Enqueue(what);
    }

    /// <summary>An item has come to a column; any thread.</summary>
    public void Came(int column, long item)
    {
        if ((ulong)item >= (ulong)_said.Length)
        {
            if (!MayMix) Fault($"column {column} was given an item that was never made, or is torn: {item}");
            return;
        }

        if (Volatile.Read(ref EndedBy) is { } end) Fault($"item {Name(item)} came to {NameOf(column)} after {end}");
        if (column == Left) Interlocked.Increment(ref LeftOver);
        int times = Interlocked.Increment(ref _came[column][item]);
        if (times > 1) Fault($"item {Name(item)} came to {NameOf(column)} {times} times");
        if (_said[item] == Said.Nothing) Fault($"item {Name(item)} came to {NameOf(column)} and was never published");
    }

    public int TimesIn(int column, long item) => _came[column][item];

    /// <summary>Checks what must hold when everything has ended.</summary>
    /// <param name="last">The column that an item has to come to.</param>
    /// <param name="strictly">It, or the unprocessed, exactly once; otherwise at least once together, as stages came and went.</param>
    /// <param name="allMayBeLost">The way it ended says that items may be left without being counted.</param>
    public void Check(int last, bool strictly, bool allMayBeLost = false)
    {
        for (long item = 0; item < _said.Length; item++)
        {
            Said said = _said[item];
            if (said == Said.Nothing) continue;
            int handled = _came[last][item], left = _came[Left][item];
            switch (said)
            {
                case Said.Done when handled + left == 0 && !allMayBeLost:
                    Fault($"item {Name(item)} is lost: its call said done, and it was neither handled nor counted as unprocessed");
                    break;
                case Said.Done or Said.Unknown when strictly && handled + left > 1:
                    Fault($"item {Name(item)} was handled and counted as unprocessed as well");
                    break;
                case Said.Refused:
                    for (int column = 0; column <= Left; column++)
                        if (_came[column][item] > 0) Fault($"item {Name(item)} was refused, and came to {NameOf(column)} all the same");
                    break;
            }
        }
    }

    public int Done => _said.Count(static said => said == Said.Done);

    private string NameOf(int column) => column == Left ? "the unprocessed" : $"stage {column}";

    private static string Name(long item) => $"{item & (MostOfAThread - 1)} of thread {item >> Shift}";
}
