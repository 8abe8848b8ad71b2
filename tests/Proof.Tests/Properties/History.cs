namespace Raceway.Proof.Tests.Properties;

/// <summary>What a thread called, in which interval, and what it was told.</summary>
internal enum Call
{
    TryPublish,
    Step,
    Remaining,
    Detach,
    Complete,
}

/// <param name="Call">What.</param>
/// <param name="Argument">The item, or the most items.</param>
internal sealed record Recorded(Call Call, int Argument)
{
    /// <summary>Ticks of one counter that all threads raise: of two calls that do not overlap one ended before the other began.</summary>
    public int Began { get; set; }

    public int Ended { get; set; }

    public ClaimStatus Status { get; set; }

    public int Value { get; set; }

    public List<long> Items { get; } = [];

    public override string ToString() => $"{Began,3}..{Ended,3} {Call}({Argument}) → " + Call switch
    {
        Call.TryPublish => Status.ToString(),
        Call.Step => $"[{string.Join(',', Items)}]",
        Call.Remaining => $"{Value}",
        _ => "done",
    };
}

/// <summary>
/// Looks for an order of the single effects of the calls, each within its call's interval, that explains every answer (Wing
/// and Gong, 1993). A publish has several effects: room is granted, a sequence claimed, the item published; a step looks, and
/// gives its slots back. So an item behind another that is still being published may not be seen yet, and nothing else is allowed.
/// </summary>
internal sealed class History(IReadOnlyList<Recorded> calls, bool multi, int capacity)
{
    private const int Over = 9;

    /// <param name="At">How far each call has come.</param>
    /// <param name="Local">What each call has found or claimed.</param>
    /// <param name="Order">Claimed: the item, negative until it is published (− 1 − item).</param>
    private sealed record State(
        int[] At, int[] Local, int[] Order, int Granted, int Announced, int Position, int Seen, bool HasGate, bool Closed)
    {
        public int Released => HasGate ? 0 : Position;

        public string Key =>
            $"{string.Join(',', At)}|{string.Join(',', Local)}|{string.Join(',', Order)}|{Granted}|{Announced}|{Position}|{Seen}|{HasGate}{Closed}";

        public State With(int call, int at, int local = 0)
        {
            int[] all = [.. At], locals = [.. Local];
            (all[call], locals[call]) = (at, local);
            return this with { At = all, Local = locals };
        }
    }

    private readonly HashSet<string> _seen = [];

    /// <summary>Whether there is such an order.</summary>
    public bool IsExplained() =>
        Search(new State(new int[calls.Count], new int[calls.Count], [], 0, 0, 0, 0, HasGate: calls.Any(one => one.Call == Call.Detach), false));

    private bool Search(State state)
    {
        if (Array.TrueForAll(state.At, at => at == Over)) return true;
        if (!_seen.Add(state.Key)) return false;
        for (int i = 0; i < calls.Count; i++)
        {
            if (state.At[i] == Over) continue;
            // What ended before it began has had all its effects.
            int began = calls[i].Began;
            if (state.At[i] == 0 && calls.Where((other, j) => state.At[j] != Over && other.Ended < began).Any()) continue;
            foreach (State next in Next(state, i))
                if (Search(next)) return true;
        }

        return false;
    }

    private IEnumerable<State> Next(State state, int i) => calls[i].Call switch
    {
        Call.TryPublish when multi => NextGranted(state, i),
        Call.TryPublish => NextAnnounced(state, i),
        Call.Step => NextStep(state, i),
        Call.Remaining => NextRemaining(state, i),
        Call.Detach => [state.With(i, Over) with { HasGate = false }],
        _ => [state.With(i, Over) with { Closed = true }],
    };

    // Positions count items: the position is the number passed, claimed and granted are numbers too.
    private IEnumerable<State> NextGranted(State state, int i)
    {
        if (calls[i].Status == ClaimStatus.Full)
        {
            if (state.Granted - state.Released == capacity) yield return state.With(i, Over);
        }
        else if (state.At[i] == 0)
        {
            if (state.Granted - state.Released < capacity) yield return state.With(i, 1) with { Granted = state.Granted + 1 };
        }
        else if (state.At[i] == 1)
        {
            yield return state.With(i, 2, state.Order.Length) with { Order = [.. state.Order, -1 - calls[i].Argument] };
        }
        else
        {
            yield return Published(state, i, state.Local[i]);
        }
    }

    private IEnumerable<State> NextAnnounced(State state, int i)
    {
        switch (calls[i].Status, state.At[i])
        {
            case (ClaimStatus.Full, _):
                if (state.Order.Length - state.Released == capacity) yield return state.With(i, Over);
                break;
            case (ClaimStatus.Stopped, 0):
                if (state.Closed) yield return state.With(i, Over);
                if (state.Order.Length - state.Released < capacity) yield return state.With(i, 1) with { Announced = state.Order.Length + 1 };
                break;
            case (ClaimStatus.Stopped, _):
                if (state.Closed) yield return state.With(i, Over) with { Announced = state.Order.Length };
                break;
            case (_, 0):
                if (state.Order.Length - state.Released < capacity) yield return state.With(i, 1) with { Announced = state.Order.Length + 1 };
                break;
            case (_, 1):
                // It looks whether the ring is closed after it has announced.
                if (!state.Closed) yield return state.With(i, 2);
                break;
            default:
                int at = state.Order.Length;
                yield return Published(state with { Order = [.. state.Order, -1 - calls[i].Argument] }, i, at);
                break;
        }
    }

    private State Published(State state, int i, int at)
    {
        int[] order = [.. state.Order];
        order[at] = calls[i].Argument;
        return state.With(i, Over) with { Order = order };
    }

    private IEnumerable<State> NextStep(State state, int i)
    {
        Recorded call = calls[i];
        if (state.At[i] == 1)
        {
            yield return state.With(i, Over) with { Position = state.Position + call.Items.Count };
            yield break;
        }

        int seen = state.Seen;
        if (seen == state.Position)
            while (seen < state.Order.Length && state.Order[seen] >= 0) seen++;
        int count = Math.Min(seen - state.Position, call.Argument);
        if (count != call.Items.Count) yield break;
        for (int k = 0; k < count; k++)
            if (state.Order[state.Position + k] != call.Items[k]) yield break;
        yield return state.With(i, count == 0 ? Over : 1) with { Seen = seen };
    }

    // Two looks, one after the other: at what is claimed and at what is released.
    private IEnumerable<State> NextRemaining(State state, int i)
    {
        int claimed = multi ? state.Order.Length : state.Announced;
        if (state.At[i] == 0)
        {
            yield return state.With(i, 1, multi ? claimed : state.Released);
            yield break;
        }

        int used = multi ? state.Local[i] - state.Released : claimed - state.Local[i];
        if (Math.Clamp(capacity - used, 0, capacity) == calls[i].Value) yield return state.With(i, Over);
    }
}
