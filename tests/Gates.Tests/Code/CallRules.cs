using System.Text.RegularExpressions;

namespace Raceway.Gates.Tests.Code;

/// <summary>What one method may call all the same, and why.</summary>
/// <param name="Call">Part of the call as <see cref="CallRules.Describe"/> writes it.</param>
/// <param name="Reason">Why it is there.</param>
internal sealed record Allowance(string Call, string Reason);

/// <summary>Which calls a hot method must not make.</summary>
/// <remarks>
/// Direct calls of the ring's own methods are free. Everything else needs a reason: helpers of the runtime (casts, covariance
/// checks, boxes, dictionary lookups, write barriers), calls through a register, interface and virtual calls, and methods of the
/// framework (clearing and copying memory, for two). A dictionary lookup is seen by the helper that fills an empty entry.
/// </remarks>
internal static partial class CallRules
{
    // Behind these nothing comes back, or nothing happens.
    private static readonly Allowance[] s_everywhere =
    [
        new("CORINFO_HELP_RNGCHKFAIL", "an index out of range: it throws"),
        new("CORINFO_HELP_THROW", "it throws"),
        new("CORINFO_HELP_POLL_GC", "behind a call of the system: returns at once unless a collection waits"),
    ];

    /// <summary>The calls among <paramref name="lines"/> that need a reason.</summary>
    public static IEnumerable<string> Suspects(IEnumerable<string> lines) =>
        lines.Select(Describe).OfType<string>()
            .Where(call => !Array.Exists(s_everywhere, allowed => call == allowed.Call));

    /// <summary>A call that needs a reason, without what differs from build to build; null for anything else.</summary>
    public static string? Describe(string line)
    {
        Match call = CallPattern().Match(line);
        if (!call.Success) return null;
        string target = call.Groups["target"].Value;
        // A block of the same method: the end of a try.
        if (target.StartsWith("G_M", StringComparison.Ordinal)) return null;
        if (target.StartsWith("CORINFO_HELP_", StringComparison.Ordinal)) return target;
        if (target.StartsWith("[CORINFO_HELP_", StringComparison.Ordinal)) return target.Trim('[', ']');
        if (target.StartsWith("[Raceway.", StringComparison.Ordinal)) return null;
        Match memory = MemoryPattern().Match(target);
        // An interface's call goes through a cell whose address is in r11; a virtual one, and a delegate's, through an object.
        if (memory.Success)
            return $"{(memory.Groups["at"].Value == "r11" ? "interface" : "virtual")} {memory.Groups["method"].Value}".TrimEnd();
        return RegisterPattern().Replace(target, "register");
    }

    // "jmp rax" is a switch; a jump that leaves the method is written tail.jmp.
    [GeneratedRegex(@"^(?:call|tail\.jmp) (?<target>.+)$")]
    private static partial Regex CallPattern();

    [GeneratedRegex(@"^\[(?<at>r\w+(?:\+0x\w+)?)\](?<method>.*)$")]
    private static partial Regex MemoryPattern();

    [GeneratedRegex(@"^r[a-z0-9]{1,2}\b")]
    private static partial Regex RegisterPattern();
}
