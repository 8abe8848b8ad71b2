using System.Runtime.CompilerServices;
using Raceway.Explorer.Engine;

namespace Raceway.Explorer.Modelled;

/// <summary>Loads, stores and read-modify-writes of shared variables, for every type alike.</summary>
/// <remarks>While a body is set up or judged there is one thread, and memory is used as it is.</remarks>
internal static class Access
{
    public static T Load<T>(ref readonly T location, bool acquire, string file, int line)
        where T : unmanaged
    {
        if (Model.Me is not { } me) return location;
        Model model = Model.Current;
        Location at = model.At(Address(in location), Bits(location), null, file, line);
        if (at.IsStatistic) return location;
        model.Point(me);
        if (Model.TryForward(me, at, out long own)) return Value<T>(own);
        model.CheckPlain(at, Bits(location), null, me, file, line);
        long bits = model.Load(me, at, acquire).Bits;
        if (model.Trace is not null) model.Note(me, $"{(acquire ? "reads" : "peeks at")} {bits} from {Name(at, file, line)}{Old(bits, at)}");
        return Value<T>(bits);
    }

    public static T LoadReference<T>(ref readonly T location, string file, int line)
        where T : class?
    {
        if (Model.Me is not { } me) return location;
        Model model = Model.Current;
        Location at = model.At(Address(in location), 0, location, file, line);
        model.Point(me);
        model.CheckPlain(at, 0, location, me, file, line);
        object? seen = model.Load(me, at, acquire: true).Reference;
        if (model.Trace is not null) model.Note(me, $"reads {seen?.GetType().Name ?? "null"} from {Name(at, file, line)}");
        return Unsafe.As<T>(seen)!;
    }

    public static void Store<T>(ref T location, T value, string file, int line)
        where T : unmanaged
    {
        if (Model.Me is not { } me)
        {
            location = value;
            return;
        }

        Model model = Model.Current;
        nint address = Address(in location);
        Location at = model.At(address, Bits(location), null, file, line);
        if (at.IsStatistic)
        {
            location = value;
            return;
        }

        model.Point(me);
        model.CheckPlain(at, Bits(location), null, me, file, line);
        if (model.Trace is not null) model.Note(me, $"stores {Bits(value)} to {Name(at, file, line)}");
        if (model.Delays(me, at, address, Bits(value), Unsafe.SizeOf<T>())) return;
        model.Append(me, at, Bits(value), null);
        location = value;
    }

    public static void StoreReference<T>(ref T location, T value, string file, int line)
        where T : class?
    {
        if (Model.Me is not { } me)
        {
            location = value;
            return;
        }

        Model model = Model.Current;
        Location at = model.At(Address(in location), 0, location, file, line);
        model.Point(me);
        model.CheckPlain(at, 0, location, me, file, line);
        if (model.Trace is not null) model.Note(me, $"stores {value?.GetType().Name ?? "null"} to {Name(at, file, line)}");
        model.Append(me, at, 0, value);
        location = value;
    }

    /// <summary>An atomic step, a full fence: <paramref name="step"/> says what to store, or null for nothing.</summary>
    public static T Exchange<T>(ref T location, Func<T, T?> step, string file, int line)
        where T : unmanaged
    {
        if (Model.Me is not { } me)
        {
            T was = location;
            if (step(was) is { } set) location = set;
            return was;
        }

        Model model = Model.Current;
        Location at = model.At(Address(in location), Bits(location), null, file, line);
        model.Point(me);
        model.Fence(me);
        model.CheckPlain(at, Bits(location), null, me, file, line);
        T old = location;
        Newest(model, me, at);
        if (step(old) is { } value)
        {
            model.Append(me, at, Bits(value), null);
            location = value;
        }

        model.Fence(me);
        if (model.Trace is not null) model.Note(me, $"exchanges {Bits(old)} by {Bits(location)} at {Name(at, file, line)}");
        return old;
    }

    public static T ExchangeReference<T>(ref T location, T value, Func<T, bool> when, string file, int line)
        where T : class?
    {
        if (Model.Me is not { } me)
        {
            T was = location;
            if (when(was)) location = value;
            return was;
        }

        Model model = Model.Current;
        Location at = model.At(Address(in location), 0, location, file, line);
        model.Point(me);
        model.Fence(me);
        model.CheckPlain(at, 0, location, me, file, line);
        T old = location;
        Newest(model, me, at);
        if (when(old))
        {
            model.Append(me, at, 0, value);
            location = value;
        }

        model.Fence(me);
        if (model.Trace is not null) model.Note(me, $"exchanges a reference at {Name(at, file, line)}");
        return old;
    }

    private static void Newest(Model model, ModelThread me, Location at)
    {
        Views.Join(me.View, at.Newest.View, Views.Width);
        if (model.Mode == MemoryMode.ReleaseAcquire) me.View[at.Id] = at.Stores.Count - 1;
    }

    // SAFETY: an address is only compared; what is written through one is in pinned memory.
    private static unsafe nint Address<T>(ref readonly T location) =>
        (nint)System.Runtime.CompilerServices.Unsafe.AsPointer(ref System.Runtime.CompilerServices.Unsafe.AsRef(in location));

    private static long Bits<T>(T value)
        where T : unmanaged =>
        Unsafe.SizeOf<T>() switch
        {
            8 => Unsafe.As<T, long>(ref value),
            4 => Unsafe.As<T, int>(ref value),
            _ => Unsafe.As<T, byte>(ref value),
        };

    private static T Value<T>(long bits)
        where T : unmanaged => Unsafe.As<long, T>(ref bits);

    private static string Old(long bits, Location at) => bits == at.Newest.Bits ? "" : $" (an old value: it is {at.Newest.Bits})";

    private static string Name(Location at, string file, int line) =>
        $"[{at.Id - Views.Threads}] at {Path.GetFileName(file)}:{line}";
}
