package scenarios

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"testing"
	"time"

	"hcclsim/model"
	"hcclsim/model/records"
	"hcclsim/model/units"
)

// eightSizes is a plan of points of 1 to 8 KiB.
func eightSizes(t *testing.T) *Plan {
	return plan(t, runOf("collective: allreduce, sizes: {from: 1KiB, to: 8KiB, step: 1KiB}, algorithms: [ring]"))
}

// delivered runs the plan with a simulator and returns the sizes in KiB that were delivered.
func delivered(ctx context.Context, p *Plan, jobs int, s simulator) (sizes string, err error) {
	err = p.run(ctx, Options{Jobs: jobs, Deliver: func(o Outcome) error {
		sizes += fmt.Sprint(int64(o.Row.Bytes >> 10))
		return nil
	}}, s)
	return sizes, err
}

// backwards takes the longer the smaller the point is, so that points end out of order.
func backwards(_ context.Context, p model.Point, _ model.Options) (model.Result, error) {
	time.Sleep(time.Duration(9-p.Bytes>>10) * time.Millisecond)
	return model.Result{Time: units.Duration(p.Bytes)}, nil
}

func TestRowsComeInPlanOrder(t *testing.T) {
	for _, jobs := range []int{0, 1, 3, 8, 100} {
		if got, err := delivered(context.Background(), eightSizes(t), jobs, backwards); got != "12345678" || err != nil {
			t.Errorf("%d jobs: delivered %s, %v", jobs, got, err)
		}
	}
}

func TestFirstFailureOfThePlanEndsTheRun(t *testing.T) {
	failing := func(ctx context.Context, p model.Point, o model.Options) (model.Result, error) {
		if n := p.Bytes >> 10; n == 4 || n == 6 {
			time.Sleep(time.Duration(9-n) * time.Millisecond) // 6 fails before 4
			return model.Result{}, fmt.Errorf("fault %d", int64(n))
		}
		return backwards(ctx, p, o)
	}
	for _, jobs := range []int{1, 3, 8} {
		got, err := delivered(context.Background(), eightSizes(t), jobs, failing)
		if want := "allreduce ring 4KiB on uniform, 8 ranks: fault 4"; got != "123" || err == nil || err.Error() != want {
			t.Errorf("%d jobs: delivered %s, %v; want 123, %s", jobs, got, err, want)
		}
	}
}

func TestPanicOfThePointIsItsError(t *testing.T) {
	_, err := delivered(context.Background(), eightSizes(t), 2, func(context.Context, model.Point, model.Options) (model.Result, error) {
		panic("boom")
	})
	if want := "allreduce ring 1KiB on uniform, 8 ranks: internal error: boom"; err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func TestCancelKeepsWhatIsFinished(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	got, err := delivered(ctx, eightSizes(t), 8, func(ctx context.Context, p model.Point, _ model.Options) (model.Result, error) {
		switch p.Bytes >> 10 {
		case 2, 5: // still running when the user loses patience
			<-ctx.Done()
			return model.Result{}, ctx.Err()
		case 7:
			time.Sleep(20 * time.Millisecond)
			cancel()
		}
		return model.Result{}, nil
	})
	if got != "134678" || !errors.Is(err, context.Canceled) {
		t.Errorf("delivered %s, %v; want 134678, %v", got, err, context.Canceled)
	}
}

func TestErrorOfDeliverEndsTheRun(t *testing.T) {
	full := errors.New("disk full")
	var n int
	err := eightSizes(t).run(context.Background(), Options{Jobs: 2, Deliver: func(Outcome) error {
		if n++; n == 3 {
			return full
		}
		return nil
	}}, backwards)
	if n != 3 || !errors.Is(err, full) {
		t.Errorf("delivered %d, %v; want 3, %v", n, err, full)
	}
}

// rowsOf simulates a plan.
func rowsOf(t *testing.T, p *Plan) []records.Row {
	t.Helper()
	var rows []records.Row
	err := p.Run(context.Background(), Options{Jobs: 2, Deliver: func(o Outcome) error {
		for _, r := range append([]records.Row{o.Row}, o.Operators...) {
			rows = append(rows, r)
			if err := records.Check(r); err != nil {
				return err
			}
		}
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return rows
}

// Every built-in scenario of a size for a test keeps what it asserts; of the others the
// small points run. ./check runs all. In every row the causes add up to the time.
func TestShippedScenarios(t *testing.T) {
	for _, name := range Names() {
		p, err := Load(name)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if p.Name != path.Base(name) || p.Description == "" || len(p.Assertions) == 0 {
			t.Errorf("%s: calls itself %q, description %q, %d assertions", name, p.Name, p.Description, len(p.Assertions))
		}
		if p.Work() > 500_000 {
			smallest := slices.MinFunc(p.Points, func(a, b Point) int { return cmp.Compare(a.Work, b.Work) }).Work
			p.Points = slices.DeleteFunc(p.Points, func(point Point) bool { return point.Work > max(smallest, 20_000) })
			rowsOf(t, p)
			continue
		}
		for _, v := range p.Judge(rowsOf(t, p)) {
			if !v.Holds() {
				t.Errorf("%s: %s: %s", name, v.Assertion, strings.Join(v.Failures, "\n"))
			}
		}
	}
}
