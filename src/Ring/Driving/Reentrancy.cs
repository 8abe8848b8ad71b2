using System.Runtime.CompilerServices;

namespace Raceway.Rings;

/// <summary>
/// Tells whether the caller is a handler of a mailbox or of a family of linked rings: such a caller would wait for itself if
/// it waited for room there.
/// </summary>
/// <remarks>
/// The thread is marked while a handler is on it. A handler may step a stage of another ring: then it waits for that one's handler,
/// and both marks count. An async handler goes on elsewhere, so a mark flows with its context, and with that into every task and
/// timer that the handler starts. The mark counts only while the call is under way.
/// </remarks>
internal static class Reentrancy
{
    [ThreadStatic]
    private static object? t_handling;

    [ThreadStatic]
    private static List<object>? t_outer; // the marks around that one

    private static readonly AsyncLocal<Call?> s_awaiting = new();

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
    /// <remarks>Allocates nothing while the calls before it on this context have all completed at once.</remarks>
    public static Call Begin(object owner)
    {
        Call? call = s_awaiting.Value;
        if (call is null || !call.TryBegin(owner)) s_awaiting.Value = call = new Call(owner);
        return call;
    }

    public static bool IsHandlerOf(object owner) =>
        ReferenceEquals(t_handling, owner) || t_outer?.Contains(owner) is true || (s_awaiting.Value is { } call && call.IsUnderWayFor(owner));

    /// <summary>A call of an async handler, as its context knows it.</summary>
    internal sealed class Call(object owner)
    {
        private const int Idle = 0;
        private const int UnderWay = 1;
        private const int Ended = 2;

        private int _state = UnderWay;

        public bool IsUnderWayFor(object other) => ReferenceEquals(owner, other) && Volatile.Read(ref _state) == UnderWay;

        /// <summary>The call completed at once, so that nothing of its own goes on: the next call may use this mark again.</summary>
        public void EndAtOnce() => Volatile.Write(ref _state, Idle);

        /// <summary>The call has ended later. What it started may go on with this mark, so no other call uses it.</summary>
        public void End() => Volatile.Write(ref _state, Ended);

        // ORDER: atomic, for itself: the context may have flowed to another driver's thread, and one call alone has the mark.
        public bool TryBegin(object other) =>
            ReferenceEquals(owner, other) && Interlocked.CompareExchange(ref _state, UnderWay, Idle) == Idle;
    }
}
