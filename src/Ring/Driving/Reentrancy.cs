using System.Runtime.CompilerServices;

namespace Raceway.Rings;

/// <summary>
/// Tells whether the caller is a handler of a mailbox or of a family of linked rings: such a caller would wait for itself if
/// it waited for room there.
/// </summary>
/// <remarks>
/// The thread is marked while a handler is on it. A handler may step a stage of another ring: then it waits for that one's handler,
/// and both marks count. An async handler goes on elsewhere, so a mark flows with its context, and with that into every task and
/// timer that the handler starts. The mark counts only while the call is under way. Calls of which nothing has run elsewhere share one.
/// </remarks>
internal static class Reentrancy
{
    [ThreadStatic]
    private static object? t_handling;

    [ThreadStatic]
    private static List<object>? t_outer; // the marks around that one

    private static readonly AsyncLocal<Call?> s_awaiting = new(OnChanged);

    /// <summary>Marks the thread; returns the mark to put back.</summary>
    public static object? Enter(object owner)
    {
        object? outer = t_handling;
        if (outer is not null) EnterInside(outer);
        t_handling = owner;
        return outer;
    }

    public static void Exit(object? outer)
    {
        t_handling = outer;
        if (outer is not null) ExitInside();
    }

    // Out of line, so that the rest stays small: few calls are made inside others.
    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void EnterInside(object outer) => (t_outer ??= []).Add(outer);

    [MethodImpl(MethodImplOptions.NoInlining)]
    private static void ExitInside() => t_outer!.RemoveAt(t_outer.Count - 1);

    /// <summary>Marks the context of an async handler that is called next.</summary>
    /// <remarks>Allocates nothing while the calls before it on this context have all ended where they began.</remarks>
    public static Call Begin(object owner)
    {
        Call? call = s_awaiting.Value;
        if (call is null || !call.TryBegin(owner)) s_awaiting.Value = call = new Call(owner);
        return call;
    }

    public static bool IsHandlerOf(object owner) =>
        ReferenceEquals(t_handling, owner) || t_outer?.Contains(owner) is true || (s_awaiting.Value is { } call && call.IsUnderWayFor(owner));

    // A thread that goes on with a handler, or begins what that has started, enters its context first.
    private static void OnChanged(AsyncLocalValueChangedArgs<Call?> change)
    {
        if (change is { ThreadContextChanged: true, CurrentValue: { } call }) call.Spread();
    }

    /// <summary>A call of an async handler, as its context knows it.</summary>
    internal sealed class Call(object owner)
    {
        private const int Idle = 0;
        private const int UnderWay = 1;
        private const int HasSpread = 2; // under way, and its context has been entered since it began
        private const int Ended = 3;

        private int _state = UnderWay;

        /// <summary>Whether its context has been entered, on this thread or another, since it began.</summary>
        public bool IsSpread => Volatile.Read(ref _state) == HasSpread;

        public bool IsUnderWayFor(object other) => ReferenceEquals(owner, other) && Volatile.Read(ref _state) is UnderWay or HasSpread;

        /// <summary>The call's task had completed when the driver first looked.</summary>
        /// <remarks>
        /// Where nothing of the call has run elsewhere, the next call may use this mark again. But the driver's thread may have lost its
        /// processor behind the call, and the handler has awaited something meanwhile.
        /// </remarks>
        // ORDER: atomic, for itself: either this call has the mark to its end, or what enters its context meanwhile. The thread that has
        // gone on with the handler has spread the mark before it completed the task, so a driver that sees it completed sees it spread.
        public void EndAtOnce()
        {
            if (Interlocked.CompareExchange(ref _state, Idle, UnderWay) != UnderWay) End();
        }

        /// <summary>The call has ended later. What it started may go on with this mark, so no other call uses it.</summary>
        public void End() => Volatile.Write(ref _state, Ended);

        /// <summary>Its context is entered. While no call is under way, as by the driver itself, that says nothing.</summary>
        // ORDER: pairs with EndAtOnce.
        public void Spread() => Interlocked.CompareExchange(ref _state, HasSpread, UnderWay);

        // ORDER: atomic, for itself: the context may have flowed to another driver's thread, and one call alone has the mark.
        public bool TryBegin(object other) =>
            ReferenceEquals(owner, other) && Interlocked.CompareExchange(ref _state, UnderWay, Idle) == Idle;
    }
}
