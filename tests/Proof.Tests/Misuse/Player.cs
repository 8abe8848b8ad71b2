using System.Collections.Concurrent;

namespace Raceway.Proof.Tests.Misuse;

/// <summary>One thread of a case: its numbers, its items, the tasks that it has not awaited, and the judge of what it was thrown.</summary>
internal sealed class Player(int index, Ledger ledger, Func<bool> hasEnded)
{
    private static readonly ConcurrentDictionary<string, bool> s_ours = new();
    private readonly CancellationTokenSource _cancelled = new();
    private CancellationTokenSource _later = new();
    private int _made;
    private int _begun;

    public Dice Dice;

    public int Index => index;

    public Ledger Ledger => ledger;

    /// <summary>Calls made so far; grows while anything moves.</summary>
    public long Calls;

    /// <summary>What it does just now, for the report of a hang; and whether that may wait for room.</summary>
    public string? Now;
    public bool Waits;
    public long Since;

    public bool IsFinished;

    public int ManagedThread;

    /// <summary>Tasks begun and not awaited.</summary>
    public List<Task> Pending { get; } = [];

    /// <summary>How often each outcome occurred, for the tally of what the cases reach.</summary>
    public Dictionary<string, int> Outcomes { get; } = [];

    public void Begin(string name, bool waits, uint seed)
    {
        Dice = new Dice(seed);
        _begun = _made;
        Since = Environment.TickCount64;
        Volatile.Write(ref Waits, waits);
        Volatile.Write(ref Now, name);
        Volatile.Write(ref Calls, Calls + 1);
    }

    public void Over() => Volatile.Write(ref Waits, false);

    /// <summary>Numbers for so many items, not published yet; fewer where it has used up its own.</summary>
    public Items Make(int count)
    {
        count = Math.Min(count, Ledger.MostOfAThread - _made);
        if (count <= 0) throw new OutOfItemsException();
        var items = new Items((long)index * Ledger.MostOfAThread + _made, count);
        _made += count;
        ledger.Say(items, Said.Unknown);
        return items;
    }

    public long Make() => Make(1).First;

    /// <summary>A token: none, signalled, or signalled some time later by the same thread.</summary>
    public CancellationToken Token()
    {
        switch (Dice.Next(6))
        {
            case 0:
                if (!_cancelled.IsCancellationRequested) _cancelled.Cancel();
                return _cancelled.Token;
            case 1:
                return _later.Token;
            case 2:
                _later = new CancellationTokenSource(Dice.Next(1, 4));
                return _later.Token;
            default:
                return CancellationToken.None;
        }
    }

    public void CancelLater() => _later.Cancel();

    /// <summary>A short time, or none, or a wrong one.</summary>
    public TimeSpan Time() => Dice.Next(12) switch
    {
        0 => TimeSpan.FromTicks(-3),
        1 => TimeSpan.FromMilliseconds(2),
        2 or 3 => TimeSpan.FromMicroseconds(300),
        4 or 5 => TimeSpan.FromTicks(1),
        _ => TimeSpan.Zero,
    };

    /// <summary>What a call with these items came to.</summary>
    public void Told(in Items items, ClaimStatus status)
    {
        ledger.Say(items, status == ClaimStatus.Done ? Said.Done : Said.Refused);
        Count(status);
    }

    public void Count(object outcome)
    {
        string key = $"{Now}: {outcome}";
        Outcomes[key] = Outcomes.GetValueOrDefault(key) + 1;
    }

    /// <summary>The call threw: is that documented, and what is with the items that it has begun?</summary>
    public void Threw(Exception fault, May may, bool isGroup, in Items? items = null)
    {
        if (fault is OutOfItemsException) return;
        Judge(Now!, fault, may);
        Count(fault.GetType().Name);
        if (isGroup) return;
        if (items is { } known)
        {
            ledger.Say(known, Said.Refused);
            return;
        }

        for (int made = _begun; made < _made; made++)
        {
            long item = (long)index * Ledger.MostOfAThread + made;
            if (ledger.SaidOf(item) == Said.Unknown) ledger.Say(item, 1, Said.Refused);
        }
    }

    /// <summary>Takes the outcome of a task about <paramref name="items"/>, now or whenever it comes.</summary>
    public void Follow(ValueTask task, in Items items, May may, bool isGroup, bool waits) =>
        Keep(FollowAsync(Now!, task.AsTask(), items, may, isGroup), waits);

    /// <summary>Takes the outcome of a task.</summary>
    public void Follow(Task task, May may, bool waits = false) => Keep(FollowAsync(Now!, task, null, may, true), waits);

    private void Keep(Task followed, bool waits)
    {
        if (waits) followed.GetAwaiter().GetResult();
        else if (!followed.IsCompleted) Pending.Add(followed);
    }

    private async Task FollowAsync(string name, Task task, Items? items, May may, bool isGroup)
    {
        try
        {
            await task.ConfigureAwait(false);
            if (items is { } done) ledger.Say(done, Said.Done);
        }
        catch (Exception fault)
        {
            Judge(name, fault, may);
            if (items is { } refused && !isGroup) ledger.Say(refused, Said.Refused);
        }
    }

    public void Judge(string name, Exception fault, May may)
    {
        if (Kind(fault) is not { } kind || (kind & may) == 0)
        {
            ledger.Fault($"{name} threw what is not documented: {fault}");
            return;
        }

        // A refusal for the end, from what has not ended, is a lie.
        if (kind == May.Ended && !hasEnded()) ledger.Fault($"{name} was refused for an end that has not come: {fault}");
    }

    private static May? Kind(Exception fault) => fault switch
    {
        FromHandlerException => May.Return | May.Publish,
        ReentrantPublishException or ReentrantMailboxException => May.Reentrant,
        RingStoppedException or RingFaultedException or MailboxStoppedException or MailboxFaultedException
            or ExecutorStoppedException or System.Threading.Channels.ChannelClosedException => May.Ended,
        ObjectDisposedException => May.Disposed,
        ArgumentException or KeyNotFoundException => May.Argument,
        OperationCanceledException => May.Cancel,
        TimeoutException => May.TimeOut,
        InvalidOperationException when IsOurs(fault) => May.Misuse,
        _ => null,
    };

    // One of the runtime's own, from within, is a broken invariant of ours: "Sequence contains no elements" is no refusal.
    private static bool IsOurs(Exception fault)
    {
        if (fault.GetType() != typeof(InvalidOperationException)) return true;
        if (s_ours.TryGetValue(fault.Message, out bool known)) return known;
        string trace = fault.StackTrace ?? "";
        // A method of ours that only throws may have been inlined into the test's: then the trace begins there.
        bool ours = !trace.TrimStart().StartsWith("at System.", StringComparison.Ordinal);
        return s_ours.GetOrAdd(fault.Message, ours);
    }
}

/// <summary>The thread has made all the items of its part of the ledger.</summary>
internal sealed class OutOfItemsException : Exception;

/// <summary>What writers and handlers of the cases throw on purpose.</summary>
internal sealed class FromHandlerException : Exception;
