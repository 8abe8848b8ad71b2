using System.Runtime.CompilerServices;

namespace Raceway.Rings;

/// <summary>
/// Tells whether the caller is a handler of a mailbox or of a family of linked rings: such a caller would wait for itself if
/// it waited for room there.
/// </summary>
/// <remarks>
/// The thread is marked while a handler is on it. A handler may step a stage of another ring: then it waits for that one's handler,
/// and both marks count. An async handler goes on elsewhere, so a mark flows with its context, and with that into every task and
/// timer that the handler starts. The mark counts only while the call is under way. Calls of which nothing runs on
/// another thread share one.
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
    /// <remarks>Allocates nothing if nothing of the call before it on this context has run on another thread.</remarks>
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
        private const int HasSpread = 2; // under way, and another thread has entered its context since it began
        private const int Ended = 3;

        private int _state = UnderWay;
        private int _thread = Environment.CurrentManagedThreadId; // which has called the handler

        /// <summary>Whether another thread has entered its context since it began.</summary>
        public bool IsSpread => Volatile.Read(ref _state) == HasSpread;

        public bool IsUnderWayFor(object other) => ReferenceEquals(owner, other) && Volatile.Read(ref _state) is UnderWay or HasSpread;

        /// <summary>The driver has found the call's task completed when it first looked.</summary>
        /// <remarks>
        /// If nothing of the call has run on another thread, the next call may use this mark. Else the handler may have awaited something
        /// meanwhile: the driver's thread had lost its processor before it looked.
        /// </remarks>
        // ORDER: pairs with Spread: a thread that goes on with the handler spreads the mark before it completes the task, so a driver that sees
        // the task completed sees the mark spread. One that enters between the look and the store had not begun before the call ended.
        public void EndAtOnce()
        {
            if (Volatile.Read(ref _state) == UnderWay) Volatile.Write(ref _state, Idle);
            else End();
        }

        /// <summary>The call has ended later. What it started may go on with this mark, so no other call uses it.</summary>
        public void End() => Volatile.Write(ref _state, Ended);

        /// <summary>A thread enters its context. The one that has called the handler comes back to it from other contexts, too.</summary>
        // ORDER: pairs with EndAtOnce. The context has come to this thread behind TryBegin's stores, if from this call.
        public void Spread()
        {
            if (Volatile.Read(ref _state) != UnderWay || Volatile.Read(ref _thread) == Environment.CurrentManagedThreadId) return;
            Interlocked.CompareExchange(ref _state, HasSpread, UnderWay);
        }

        // ORDER: atomic, for itself: the context may have flowed to another driver's thread, and one call alone has the mark.
        public bool TryBegin(object other)
        {
            if (!ReferenceEquals(owner, other) || Interlocked.CompareExchange(ref _state, UnderWay, Idle) != Idle) return false;
            Volatile.Write(ref _thread, Environment.CurrentManagedThreadId);
            return true;
        }
    }
}
