using System.Runtime.CompilerServices;
using Raceway.Explorer.Engine;

namespace Raceway.Explorer.Modelled;

/// <summary>Modelled <c>System.Threading.Interlocked</c>: every one a full fence.</summary>
internal static class Interlocked
{
    public static long Increment(ref long location, [CallerFilePath] string file = "", [CallerLineNumber] int line = 0) =>
        Access.Exchange(ref location, static old => old + 1, file, line) + 1;

    public static int Increment(ref int location, [CallerFilePath] string file = "", [CallerLineNumber] int line = 0) =>
        Access.Exchange(ref location, static old => old + 1, file, line) + 1;

    public static int Decrement(ref int location, [CallerFilePath] string file = "", [CallerLineNumber] int line = 0) =>
        Access.Exchange(ref location, static old => old - 1, file, line) - 1;

    public static long Add(ref long location, long value, [CallerFilePath] string file = "", [CallerLineNumber] int line = 0) =>
        Access.Exchange(ref location, old => old + value, file, line) + value;

    public static long Exchange(ref long location, long value, [CallerFilePath] string file = "", [CallerLineNumber] int line = 0) =>
        Access.Exchange(ref location, _ => value, file, line);

    public static int Exchange(ref int location, int value, [CallerFilePath] string file = "", [CallerLineNumber] int line = 0) =>
        Access.Exchange(ref location, _ => value, file, line);

    public static T Exchange<T>(ref T location, T value, [CallerFilePath] string file = "", [CallerLineNumber] int line = 0)
        where T : class? => Access.ExchangeReference(ref location, value, static _ => true, file, line);

    public static long CompareExchange(
        ref long location, long value, long comparand, [CallerFilePath] string file = "", [CallerLineNumber] int line = 0) =>
        Access.Exchange(ref location, old => old == comparand ? value : null, file, line);

    public static int CompareExchange(
        ref int location, int value, int comparand, [CallerFilePath] string file = "", [CallerLineNumber] int line = 0) =>
        Access.Exchange(ref location, old => old == comparand ? value : null, file, line);

    public static T CompareExchange<T>(
        ref T location, T value, T comparand, [CallerFilePath] string file = "", [CallerLineNumber] int line = 0)
        where T : class? =>
        Access.ExchangeReference(ref location, value, old => ReferenceEquals(old, comparand), file, line);

    public static void MemoryBarrier()
    {
        if (Model.Me is not { } me) return;
        Model.Current.Point(me);
        Model.Current.Fence(me);
        Model.Current.Note(me, "full fence");
    }

    public static void MemoryBarrierProcessWide()
    {
        if (Model.Me is not { } me) return;
        Model.Current.Point(me);
        Model.Current.FenceProcessWide();
        Model.Current.Note(me, "process-wide barrier");
    }
}
