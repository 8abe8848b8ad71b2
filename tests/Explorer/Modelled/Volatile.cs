using System.Runtime.CompilerServices;
using Raceway.Explorer.Engine;

namespace Raceway.Explorer.Modelled;

/// <summary>Modelled <c>System.Threading.Volatile</c>: acquire loads, release stores.</summary>
internal static class Volatile
{
    public static long Read(ref readonly long location, [CallerFilePath] string file = "", [CallerLineNumber] int line = 0) =>
        Access.Load(in location, acquire: true, file, line);

    public static ulong Read(ref readonly ulong location, [CallerFilePath] string file = "", [CallerLineNumber] int line = 0) =>
        Access.Load(in location, acquire: true, file, line);

    public static int Read(ref readonly int location, [CallerFilePath] string file = "", [CallerLineNumber] int line = 0) =>
        Access.Load(in location, acquire: true, file, line);

    public static bool Read(ref readonly bool location, [CallerFilePath] string file = "", [CallerLineNumber] int line = 0) =>
        Access.Load(in location, acquire: true, file, line);

    public static T Read<T>(ref readonly T location, [CallerFilePath] string file = "", [CallerLineNumber] int line = 0)
        where T : class? => Access.LoadReference(in location, file, line);

    public static void Write(ref long location, long value, [CallerFilePath] string file = "", [CallerLineNumber] int line = 0) =>
        Access.Store(ref location, value, file, line);

    public static void Write(ref int location, int value, [CallerFilePath] string file = "", [CallerLineNumber] int line = 0) =>
        Access.Store(ref location, value, file, line);

    public static void Write(ref bool location, bool value, [CallerFilePath] string file = "", [CallerLineNumber] int line = 0) =>
        Access.Store(ref location, value, file, line);

    public static void Write<T>(ref T location, T value, [CallerFilePath] string file = "", [CallerLineNumber] int line = 0)
        where T : class? => Access.StoreReference(ref location, value, file, line);

    /// <summary>Makes what is before it come before the stores after it. Every modelled store does so by itself.</summary>
    public static void WriteBarrier()
    {
    }

    /// <summary>Makes the loads before it, plain ones too, come before what follows.</summary>
    public static void ReadBarrier()
    {
        if (Model.Me is not { } me) return;
        Model.Current.Point(me);
        Model.Current.ReadBarrier(me);
        Model.Current.Note(me, "read barrier");
    }
}
