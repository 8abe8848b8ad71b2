namespace Raceway.Rings;

/// <summary>Whose handler is running here, a mailbox's or that of a family of linked rings: who waits for room in it, or in a
/// ring linked with it, would wait for itself.</summary>
internal static class Reentrancy
{
    [ThreadStatic]
    private static object? t_handling;

    private static readonly AsyncLocal<object?> s_awaiting = new();

    /// <summary>Marks the thread; returns the mark to put back.</summary>
    public static object? Enter(object owner)
    {
        object? outer = t_handling;
        t_handling = owner;
        return outer;
    }

    public static void Exit(object? outer) => t_handling = outer;

    /// <summary>Marks an async handler's continuations. Allocates where the mark is new to the thread.</summary>
    public static void Follow(object owner)
    {
        if (!ReferenceEquals(s_awaiting.Value, owner)) s_awaiting.Value = owner;
    }

    public static bool IsHandlerOf(object owner) =>
        ReferenceEquals(t_handling, owner) || ReferenceEquals(s_awaiting.Value, owner);
}
