using System.Globalization;
using Raceway.Measuring;

namespace Raceway.Lab.Reporting;

/// <summary>The machine card as a table, and what to keep in mind on such a machine.</summary>
internal static class MachineReport
{
    /// <summary>The caption of the card.</summary>
    public const string Caption = "What the figures of this machine stand on";

    private static readonly ReportColumn[] s_columns = [new("machine", IsFigure: false), new("", IsFigure: false)];

    /// <summary>The line that stands below measured tables.</summary>
    public static ReportText Line(MachineCard machine) => new(
        $"Machine: {machine.Cpu}, {machine.UsableCores} of {machine.LogicalCores} cores, {machine.Os}, {machine.Runtime}, "
        + $"line round trip {Nanoseconds(machine.LineRoundTripNs)}");

    /// <summary>The whole card.</summary>
    public static ReportTable Table(MachineCard machine) => new(Caption, s_columns,
    [
        ["processor", machine.Cpu],
        ["cores", $"{machine.UsableCores} usable of {machine.LogicalCores}"],
        ["affinity", machine.Affinity ?? "not told by the system"],
        ["quota", machine.CpuQuota is { } quota ? $"{Figure.Plain(quota)} cores" : "none"],
        ["cache line", $"{machine.LineSize} B"],
        ["line round trip", Nanoseconds(machine.LineRoundTripNs)],
        ["pause", Nanoseconds(machine.PauseNs)],
        ["SpinWait(1)", Nanoseconds(machine.SpinWaitNs)],
        ["clock", $"ticks of {Nanoseconds(machine.ClockTickNs)}, {Nanoseconds(machine.ClockReadNs)} a reading"],
        ["membarrier", machine.Membarrier switch { true => "expedited", false => "not offered", null => "not asked" }],
        [
            "process-wide barrier",
            $"{Nanoseconds(machine.MembarrierAloneNs)} alone, "
                + $"{Nanoseconds(machine.MembarrierBusyNs)} with another core running",
        ],
        ["vectors", string.Create(CultureInfo.InvariantCulture, $"{machine.VectorBits} bits")],
        ["system", $"{machine.Os}, {machine.Architecture}"],
        ["runtime", machine.Runtime],
        [
            "garbage collector",
            $"{(machine.ServerGc ? "server" : "workstation")}, {(machine.ConcurrentGc ? "" : "not ")}concurrent",
        ],
        ["compilation", machine.Tiering],
    ]);

    /// <summary>What a reader of this machine's figures should know.</summary>
    public static IEnumerable<ReportText> Advice(MachineCard machine)
    {
        if (machine.UsableCores < 4)
        {
            yield return new ReportText(
                $"With {machine.UsableCores} usable cores, pipelines with more busy threads are marked oversubscribed; "
                + "prefer fused stages and waits that park.");
        }

        if (machine.CpuQuota is { } quota && quota < machine.UsableCores)
        {
            yield return new ReportText(
                $"The quota of {Figure.Plain(quota)} cores stops threads that spin; prefer waits that park.");
        }

        if (machine.Membarrier == false)
        {
            yield return new ReportText(
                "Without the expedited barrier, changing over to parking costs more; spin budgets should be longer.");
        }

        if (machine.Tiering != "default")
        {
            yield return new ReportText(
                $"Compilation settings differ from the defaults ({machine.Tiering}); figures do not compare with others.");
        }
    }

    private static string Nanoseconds(double? value) => value is { } ns ? Figure.Time(ns) : "not measured";
}
