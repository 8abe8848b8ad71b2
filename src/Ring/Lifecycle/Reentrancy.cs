namespace Raceway.Rings;

/// <summary>Which ring's handler is running here: whoever waits for room in that ring, or one linked with it, would wait
/// for itself.</summary>
internal static class Reentrancy
{
    [ThreadStatic]
    private static Ring? t_handling;

    private static readonly AsyncLocal<Ring?> s_awaiting = new();

    /// <summary>Marks the thread; returns the mark to put back.</summary>
    public static Ring? Enter(Ring ring)
    {
        Ring? outer = t_handling;
        t_handling = ring;
        return outer;
    }

    public static void Exit(Ring? outer) => t_handling = outer;

    /// <summary>Marks an async handler's continuations. Allocates where the mark is new to the thread.</summary>
    public static void Follow(Ring ring)
    {
        if (!ReferenceEquals(s_awaiting.Value, ring)) s_awaiting.Value = ring;
    }

    public static bool IsHandlerOf(Ring ring) =>
        ReferenceEquals(t_handling?.Family, ring.Family) || ReferenceEquals(s_awaiting.Value?.Family, ring.Family);
}
