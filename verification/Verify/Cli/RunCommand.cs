using System.CommandLine;
using Raceway.Verify.Reporting;
using Raceway.Verify.Tiers;

namespace Raceway.Verify.Cli;

/// <summary><c>verify run</c>: all of the proof, and its closing line.</summary>
internal sealed class RunCommand : Command
{
    private const double MostMinutes = 7 * 24 * 60;

    private readonly Option<bool> _long = new("--long")
    {
        Description = "The nightly figures and all mutants, instead of those of each push.",
    };

    private readonly Option<double> _minutes = new("--minutes")
    {
        Description = "How long the long set goes on at least, with new seeds each time.",
        HelpName = "N",
        DefaultValueFactory = static _ => 60,
    };

    private readonly Option<bool> _noMutants = new("--no-mutants")
    {
        Description = "Leaves the mutants to their own command, which may run beside this one.",
    };

    public RunCommand()
        : base("run", "Checks the models, runs all tiers, tries mutants, and closes with one line.")
    {
        Add(_long);
        Add(_minutes);
        Add(_noMutants);
        _minutes.Validators.Add(static result =>
        {
            if (result.GetValueOrDefault<double>() is not (> 0 and <= MostMinutes))
                result.AddError($"--minutes takes a number above 0, up to {MostMinutes} (a week).");
        });
        SetAction((options, cancellation) => Task.FromResult(Execute(options, cancellation)));
    }

    private int Execute(ParseResult options, CancellationToken cancellation)
    {
        string? named = Environment.GetEnvironmentVariable(Environments.Tally);
        string tally = string.IsNullOrEmpty(named) ? Path.GetTempFileName() : Path.GetFullPath(named);
        try
        {
            var proof = new Proof(
                SourceTree.Find(Environment.CurrentDirectory),
                options.GetValue(_long),
                TimeSpan.FromMinutes(options.GetValue(_minutes)),
                !options.GetValue(_noMutants),
                tally,
                cancellation);
            bool good = proof.Run();
            Console.WriteLine(new ProofLine(File.Exists(tally) ? File.ReadLines(tally) : []));
            return good ? ExitCode.Done : ExitCode.Failed;
        }
        finally
        {
            if (string.IsNullOrEmpty(named)) File.Delete(tally);
        }
    }
}
