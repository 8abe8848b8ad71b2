using System.Runtime.InteropServices;
using Real = System.Threading;

namespace Raceway.Explorer.Engine;

/// <summary>Holds a thread until it is given the baton. On Linux straight by futex: threads of one processor gain nothing by spinning.</summary>
internal sealed unsafe partial class Baton
{
    private const int WaitPrivate = 128;
    private const int WakePrivate = 129;

    private static readonly long s_futex = Number();

    private readonly int[] _word = System.GC.AllocateArray<int>(1, pinned: true);
    private readonly Real.SemaphoreSlim? _portable = s_futex == 0 ? new Real.SemaphoreSlim(0) : null;

    public void Give()
    {
        if (_portable is not null)
        {
            _portable.Release();
            return;
        }

        Real.Volatile.Write(ref _word[0], 1);
        Call(s_futex, Address, WakePrivate, 1, 0, 0, 0);
    }

    public void Await()
    {
        if (_portable is not null)
        {
            _portable.Wait();
            return;
        }

        while (Real.Interlocked.Exchange(ref _word[0], 0) == 0) Call(s_futex, Address, WaitPrivate, 0, 0, 0, 0);
    }

    // SAFETY: the word is pinned, and kept by this object.
    private nint Address => (nint)System.Runtime.CompilerServices.Unsafe.AsPointer(ref _word[0]);

    private static long Number() =>
        !OperatingSystem.IsLinux() ? 0
        : RuntimeInformation.ProcessArchitecture switch
        {
            Architecture.X64 => 202,
            Architecture.Arm64 => 98,
            _ => 0,
        };

    [LibraryImport("libc", EntryPoint = "syscall")]
    private static partial nint Call(long number, nint word, nint operation, nint value, nint timeout, nint other, nint more);
}
